import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Payer } from "../charges/payer.ts";
import type { Watch } from "../charges/watchdog.ts";
import { FairGate } from "../documents/turns/fair-gate.ts";
import { UnavailableError } from "../documents/log/unavailable-error.ts";
import type { Admission, Admitted, Elsewhere } from "./intake/admission.ts";
import { type BodyIntake, FREE_BYTES } from "./intake/body-intake.ts";
import { endOf } from "./intake/in-force.ts";
import { onceOf, onceProblem } from "./once.ts";
import { type Answer, type IncomingCall, isKept, type Operation } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import type { PassingOn } from "./passing-on.ts";
import type { RawQuery } from "./intake/query-text.ts";
import type { RequestTurns } from "./intake/request-turns.ts";
import type { Payload, Responder } from "./answer/responder.ts";
import { serviceAddress } from "./oauth/service-address.ts";
import type { Service } from "./service.ts";
import { isStreamed, shortened } from "./answer/short-answer.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose request it is; there from the admission on, for operations of the API. */
    admitted: Admitted | undefined;
    /** The body of an operation's request, when there is one and all of it has come. */
    received: BodyIntake | undefined;
  }
  interface FastifyContextConfig {
    /** As an operation says it. */
    maxValues?: number;
    /** Who has no key or token is told where to get one. */
    isForAssistants?: boolean;
  }
}

interface OperationParts {
  readonly operation: Operation;
  readonly admission: Admission;
  readonly responder: Responder;
  readonly service: Service;
  readonly turns: RequestTurns;
  readonly longRequests: FairGate<Payer>;
  readonly watchdog: Watch;
  /** Undefined where all outlines are served here. */
  readonly passingOn: PassingOn | undefined;
}

/** Bodies of more are worked on one at a time for each user. */
const LONG_BYTES = 64 * 1024;
/** Of all users. More would only wait for each other in the middle of their work. */
const MOST_LONG = 16;
/** The longest body of an operation that takes no texts: some references and a name. */
const SHORT_BODY_BYTES = 64 * 1024;

/**
 * Operations that answer texts of outlines. The length of a compressed answer tells something of a
 * secret in it to who can add text of their own: what is about keys and sessions is sent as it is.
 */
const COMPRESSED: ReadonlySet<Operation["tag"]> = new Set(["Nodes", "Targets"]);

export const ONCE_HEADER = "idempotency-key";

/**
 * Lets each payer have one long request in work at a time, and all together a few: what they hold while
 * they are worked on can't be given up any more. The others wait with what they have sent, which is
 * charged [Q13].
 */
export function newLongRequests(): FairGate<Payer> {
  return new FairGate(MOST_LONG, 1);
}

const NO_BODY = { kind: "body", value: undefined } as const;
const BUSY = "The last such request of this user took too long. Ask again later.";
const NO_TAG = problem("precondition_failed", "What this changes has no ETag for `If-Match`.");
const CROWDED = problem("rate_limited", "Too many requests of this user wait already.", 1000);

/**
 * Puts an operation on its route: first whether the key may, before a byte of the body is read, then
 * the operation. Where nothing has to be waited for, nothing is: a short read is done in one go, and
 * each step that is put off would be felt in it.
 */
export function addOperation(app: FastifyInstance, parts: OperationParts): void {
  const { operation, admission, responder, service, turns, longRequests, watchdog } = parts;
  const { passingOn } = parts;
  const { id, method, path, tag, needs, takesTexts = false, maxValues } = operation;
  const bodyBytes = Math.min(service.limits.bodyBytes, operation.maxBytes ?? Infinity);

  const ignoresTags = needs.write && operation.comparesNode !== true;

  /** Why the headers of a request that was let in ask for what is not done here. */
  function headersProblem({ headers }: IncomingMessage): Problem | undefined {
    if (ignoresTags && headers["if-match"] !== undefined) return NO_TAG;
    return needs.write ? onceProblem(headers[ONCE_HEADER], isKept(operation)) : undefined;
  }

  /** Why a payer may have no more worked on. */
  function refusalOf(payer: Payer): Problem | undefined {
    if (turns.isCrowded(payer)) return CROWDED;
    const busyMs = watchdog.refusedMs(payer, id);
    return busyMs > 0 ? problem("unavailable", BUSY, busyMs) : undefined;
  }

  function inTurn(
    payer: Payer,
    received: BodyIntake | undefined,
    work: () => Payload | Promise<Payload>,
  ): Payload | Promise<Payload> {
    const size = (): number => received?.bytes ?? 0;
    const watched = (): Payload | Promise<Payload> => watchdog.run(payer, id, size, work);
    const isLong = operation.isLong === true || size() > LONG_BYTES;
    return isLong
      ? longRequests.pass(payer, () => turns.run(payer, watched))
      : turns.run(payer, watched);
  }

  app.route({
    method,
    url: path,
    config: {
      isCompressed: COMPRESSED.has(tag),
      isForAssistants: needs.ownKey === true,
      ...(maxValues !== undefined && { maxValues }),
    },
    bodyLimit: takesTexts ? bodyBytes : Math.min(bodyBytes, SHORT_BODY_BYTES),
    onRequest(request, reply, done) {
      const fail = (error: unknown): void => void responder.sendFailure(request, reply, error);
      const goOn = (admitted: Admitted | Elsewhere | Problem): void => {
        if (admitted.kind === "elsewhere") {
          const passed = passingOn?.answer({ request, reply, needs }, admitted);
          passed?.then((here) => here && goOn(here)).catch(fail);
        } else if (admitted.kind === "admitted") {
          const wrong = headersProblem(request.raw);
          if (wrong !== undefined) return void responder.send(request, reply, wrong);
          request.admitted = admitted;
          done();
        } else responder.send(request, reply, admitted);
      };
      const admitted = admission.admitOrPass(request, needs);
      if (admitted instanceof Promise) {
        admitted.then(goOn).catch(fail);
      } else goOn(admitted);
    },
    handler(request, reply) {
      const { admitted, received } = request;
      if (admitted === undefined) throw new Error("an operation without admission");
      received?.endWith(reply.raw);
      const { payer } = admitted;
      const sent = (answer: Answer): Payload => responder.payload(request, reply, answer, path);
      const sentLater = (answer: Answer): Payload | Promise<Payload> => {
        if (isStreamed(answer)) return shortened(answer).then(sent);
        // A long answer takes time to encode, too.
        const isLong = typeof answer === "string" && answer.length > FREE_BYTES;
        return isLong ? turns.takeTurn(payer, () => sent(answer)) : sent(answer);
      };
      const refusal = refusalOf(payer);
      if (refusal !== undefined) return sent(refusal);
      const answered = inTurn(payer, received, () => {
        // Asked when it begins: it may have been sent, and have waited, for minutes.
        const body = endOf(admitted.principal, service.now()) ?? received?.parse() ?? NO_BODY;
        if (body.kind === "problem") return sent(body);
        const address = () => serviceAddress(request, service.limits);
        const call = { ...callOf(request, reply, admitted, body.value), address };
        const answer = operation.handle(needs.write ? repeatable(call, request) : call, service);
        return answer instanceof Promise ? answer.then(sentLater) : sent(answer);
      });
      if (answered instanceof Promise) {
        return answered.catch((error: unknown) => {
          // With its user a key ends, and the outline goes: it won't come back.
          const end = endOf(admitted.principal, service.now());
          if (end === undefined || !(error instanceof UnavailableError)) throw error;
          return sent(end);
        });
      }
      // Undefined would mean that it is sent later.
      return answered ?? reply.send();
    },
  });
}

/** A call with what tells it from others, when it says that it may come again. */
function repeatable(call: IncomingCall, { method, raw, received }: FastifyRequest): IncomingCall {
  const key = call.headers[ONCE_HEADER];
  if (typeof key !== "string") return call;
  const said = [method, raw.url ?? "", received?.digest ?? ""];
  return { ...call, once: onceOf(call.principal, key, said) };
}

function callOf(
  request: FastifyRequest,
  { raw }: FastifyReply,
  { principal }: Admitted,
  body: unknown,
): Omit<IncomingCall, "address"> {
  const { method } = request;
  const params = request.params as { readonly id?: string; readonly key?: string };
  return {
    principal,
    id: params.id ?? params.key ?? "",
    queryText: (request.query as RawQuery).text,
    body,
    headers: request.raw.headers,
    headersOnly: method === "HEAD",
    isHere: () => !raw.destroyed,
    onLeave: (callback) => {
      raw.once("close", callback);
      return () => raw.off("close", callback);
    },
  };
}
