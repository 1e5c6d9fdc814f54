import { type Agent, request } from "node:http";
import type { Place } from "./bystander-tasks.ts";

/** Calls the API. Rejects unless the answer is 200. @returns the body */
export function callApi(
  { url, key }: Place,
  agent: Agent,
  method: string,
  path: string,
  body?: unknown,
): Promise<string> {
  const sent = body === undefined ? "" : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/v1/${path}`, {
      method,
      agent,
      headers: { authorization: `Bearer ${key}`, "content-length": Buffer.byteLength(sent) },
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // An idle connection that the server closes just now is tried again, as every client does.
      if (outgoing.reusedSocket && error.code === "ECONNRESET") {
        resolve(callApi({ url, key }, agent, method, path, body));
      } else {
        reject(error);
      }
    });
    outgoing.on("response", (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
      incoming.on("error", reject);
      incoming.on("end", () => {
        if (incoming.statusCode === 200) resolve(text);
        else reject(new Error(`answered ${incoming.statusCode}`));
      });
    });
    outgoing.end(sent);
  });
}
