import type { FastifyInstance } from "fastify";
import { docsPage, docsPolicy } from "./docs-page.ts";
import { openApiDocument } from "./openapi-document.ts";
import { OPERATIONS } from "./operations.ts";
import { sendAnswer } from "./send-answer.ts";

/** `/openapi.json` for programs, `/docs` for people: the same document. Neither needs a key. */
export function addDocumentationRoutes(app: FastifyInstance): void {
  let document: { readonly json: string; readonly page: string } | undefined;

  function documentation(): { readonly json: string; readonly page: string } {
    if (document === undefined) {
      const api = openApiDocument(OPERATIONS);
      document = { json: JSON.stringify(api, undefined, 2), page: docsPage(api) };
    }
    return document;
  }

  app.get("/openapi.json", { config: { isPublic: true } }, (_request, reply) =>
    sendAnswer(reply, documentation().json),
  );
  app.get("/docs", { config: { isPublic: true } }, (_request, reply) =>
    reply
      .header("content-type", "text/html; charset=utf-8")
      .header("content-security-policy", docsPolicy())
      .send(documentation().page),
  );
}
