import { PROBLEM_STATUS } from "../../../src/http/problem.ts";
import type { Api } from "./api-operations.ts";
import type { HostileRequest } from "./hostile-request.ts";
import type { NoAnswer, WireAnswer } from "./http-wire.ts";
import { fits, schemaAt } from "./json-schema.ts";
import { MARK } from "./odd-values.ts";

/** Refusals that any address may be answered with, whether or not there is an operation. */
const ANYWHERE = new Set([400, 401, 403, 404, 405, 409, 412, 413]);
const STACK_TRACE = /\n\s+at |node_modules|\/src\/|\.ts:\d|\.js:\d/;
const STATUS_BY_CODE: ReadonlyMap<unknown, number> = new Map(Object.entries(PROBLEM_STATUS));

/** What is wrong with an answer; undefined when nothing is. */
export function faultOf(
  request: HostileRequest,
  answer: WireAnswer | NoAnswer,
  { api, keys }: { readonly api: Api; readonly keys: readonly string[] },
): string | undefined {
  if (typeof answer === "string")
    return answer === "closed" && request.isBroken ? undefined : answer;
  const { status, headers, body } = answer;
  const { operation, standing, isBodyWrong, isBroken, method } = request;
  if (status >= 500) return `a ${status}`;
  if (status === 304) {
    const isRight =
      operation?.statuses.has(status) === true && standing !== "stranger" && body === "";
    return isRight && headers.has("etag") ? undefined : "a 304";
  }
  if (status !== 200 && !ANYWHERE.has(status)) return `the status ${status}`;
  if (operation !== undefined && !operation.statuses.has(status)) {
    return `${status}, which is not documented of ${operation.id}`;
  }
  const type = headers.get("content-type");
  const isStream = status === 200 && (operation?.isEndless ?? type === "text/event-stream");
  const isFile = status === 200 && operation?.fileTypes.has(type ?? "") === true;
  if (!isFile && type !== (isStream ? "text/event-stream" : "application/json; charset=utf-8")) {
    return `the type ${type}`;
  }
  if (headers.get("x-content-type-options") !== "nosniff") return "no nosniff";
  if (headers.get("cache-control") !== "no-store") return "no no-store";
  if (status === 401 && headers.get("www-authenticate") !== "Bearer") return "a 401 without Bearer";
  if (status === 405 && !headers.has("allow")) return "a 405 without Allow";
  if (standing === "stranger" && !isBroken && status !== 401) return `${status} to a stranger`;
  if (standing !== "stranger" && status === 401) return "a 401 to a right key";
  if (status === 200 && isBodyWrong) return `200 to a wrong body of ${operation?.id}`;
  if (method === "HEAD") return undefined;
  if (isFile) return keys.some((key) => body.includes(key)) ? "a file with a key" : undefined;
  if (isStream) return /^retry: \d+\n\n$/.test(body) ? undefined : "a stream that begins otherwise";

  const value = parsed(body);
  if (value === undefined) return "no JSON";
  if (status === 200) {
    if (operation !== undefined && !fits(value, operation.answer, api.schemas)) {
      return `an answer of ${operation.id} beyond its schema`;
    }
    const others = keys.filter((key) => body.includes(key));
    return others.length > 0 ? "an answer with a key" : undefined;
  }
  if (!fits(value, schemaAt("Problem", api.schemas), api.schemas))
    return "a refusal of another form";
  if (STATUS_BY_CODE.get((value as { code: unknown }).code) !== status)
    return "another code's status";
  if (body.includes(MARK) || keys.some((key) => body.includes(key)))
    return "a refusal with an echo";
  return STACK_TRACE.test(body) ? "a refusal with a stack trace" : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
