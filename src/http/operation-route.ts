import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Admission, Admitted } from "./admission.ts";
import type { IncomingCall, Operation } from "./operation.ts";
import type { Problem } from "./problem.ts";
import type { RawQuery } from "./query-text.ts";
import type { Responder } from "./responder.ts";
import type { Service } from "./service.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose request it is; there from the admission on, for operations of the API. */
    admitted: Admitted | undefined;
  }
}

interface OperationParts {
  readonly operation: Operation;
  readonly admission: Admission;
  readonly responder: Responder;
  readonly service: Service;
}

/**
 * Puts an operation on its route: first whether the key may, before a byte of the body is read, then
 * the operation. Where nothing has to be waited for, nothing is: a short read is done in one go, and
 * each step that is put off would be felt in it.
 */
export function addOperation(app: FastifyInstance, parts: OperationParts): void {
  const { operation, admission, responder, service } = parts;
  const { method, path, needs } = operation;

  app.route({
    method,
    url: path,
    onRequest(request, reply, done) {
      const goOn = (admitted: Admitted | Problem): void => {
        if (admitted.kind === "admitted") {
          request.admitted = admitted;
          done();
        } else responder.send(request, reply, admitted);
      };
      const admitted = admission.admit(request, needs);
      if (admitted instanceof Promise) {
        admitted.then(goOn).catch((error: unknown) => responder.sendFailure(request, reply, error));
      } else goOn(admitted);
    },
    handler(request, reply) {
      const { admitted } = request;
      if (admitted === undefined) throw new Error("an operation without admission");
      const handle = (refusal: Problem | undefined) =>
        refusal ?? operation.handle(callOf(request, admitted), service);
      const end = admission.endOf(request, admitted);
      const answer = end instanceof Promise ? end.then(handle) : handle(end);
      return answer instanceof Promise
        ? answer.then((later) => responder.payload(request, reply, later, path))
        : responder.payload(request, reply, answer, path);
    },
  });
}

function callOf(request: FastifyRequest, { principal }: Admitted): IncomingCall {
  const { method, body } = request;
  const params = request.params as { readonly id?: string; readonly key?: string };
  return {
    principal,
    id: params.id ?? params.key ?? "",
    queryText: (request.query as RawQuery).text,
    body,
    headersOnly: method === "HEAD",
  };
}
