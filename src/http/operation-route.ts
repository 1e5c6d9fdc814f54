import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Principal } from "../accounts/accounts.ts";
import type { Admission } from "./admission.ts";
import type { IncomingCall, Operation } from "./operation.ts";
import type { RawQuery } from "./query-text.ts";
import { payloadOf, sendAnswer } from "./send-answer.ts";
import type { Service } from "./service.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose request it is; there from the admission on, for operations of the API. */
    principal: Principal | undefined;
  }
}

/**
 * Puts an operation on its route: first whether the key may, before a byte of the body is read, then
 * the operation.
 */
export function addOperation(
  app: FastifyInstance,
  operation: Operation,
  admission: Admission,
  service: Service,
): void {
  app.route({
    method: operation.method,
    url: operation.path,
    async onRequest(request, reply) {
      const admitted = await admission.admit(request, operation.needs);
      if (admitted.kind === "problem") return sendAnswer(reply, admitted);
      request.principal = admitted.principal;
      return undefined;
    },
    async handler(request, reply) {
      return payloadOf(reply, await operation.handle(callOf(request), service));
    },
  });
}

function callOf(request: FastifyRequest): IncomingCall {
  const { principal, method, body } = request;
  if (principal === undefined) throw new Error("an operation without admission");
  const params = request.params as { readonly id?: string; readonly key?: string };
  return {
    principal,
    id: params.id ?? params.key ?? "",
    queryText: (request.query as RawQuery).text,
    body,
    headersOnly: method === "HEAD",
  };
}
