import type { FastifyInstance } from "fastify";
import { docsPage, docsPolicy } from "./docs-page.ts";
import { openApiDocument } from "./openapi-document.ts";
import { OPERATIONS } from "../operations.ts";
import type { Responder } from "../answer/responder.ts";

const CONFIG = { isPublic: true, isCompressed: true };

/** `/openapi.json` for programs, `/docs` for people: the same document. Neither needs a key. */
export function addDocumentationRoutes(app: FastifyInstance, responder: Responder): void {
  let document: { readonly json: string; readonly page: string } | undefined;

  function documentation(): { readonly json: string; readonly page: string } {
    if (document === undefined) {
      const api = openApiDocument(OPERATIONS);
      document = { json: JSON.stringify(api, undefined, 2), page: docsPage(api) };
    }
    return document;
  }

  app.get("/openapi.json", { config: CONFIG }, (request, reply) =>
    responder.send(request, reply, documentation().json),
  );
  app.get("/docs", { config: CONFIG }, (request, reply) =>
    responder.sendPage(request, reply, {
      contentType: "text/html; charset=utf-8",
      policy: docsPolicy(),
      text: documentation().page,
    }),
  );
}
