import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { MARK } from "./odd-values.ts";

const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

const RIGHT_KEY = /^Bearer ok_\w{32}$/;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

interface Front {
  /** Which requests with a key it takes on itself. */
  readonly takes: RegExp;
  readonly answer: Serve;
}

/** What stands before the service and does something wrong, by the name of the control. */
const FRONTS: Readonly<Record<string, Front>> = {
  "an-operation-takes-anything": {
    takes: /^\/api\/v1\/nodes\/\w[^/]*\/move$/,
    answer: (_request, response) => response.writeHead(200, JSON_HEADERS).end('{"status":"ok"}'),
  },
  "a-route-fails": {
    takes: /^\/api\/v1\/targets\//,
    answer: (_request, response) =>
      response
        .writeHead(500, { "content-type": "text/html" })
        .end("<h1>Internal Server Error</h1>"),
  },
  "a-refusal-echoes": {
    takes: new RegExp(`^/api/v1/nodes/.*${MARK}`),
    answer(request, response) {
      const message = `There is nothing at ${request.url}.`;
      const text = JSON.stringify({ error: message, code: "not_found", message });
      response.writeHead(404, JSON_HEADERS).end(text);
    },
  },
};

/** Puts a front before everything that serves requests; nothing for other controls. */
export function breakFront(server: Server, control: string | undefined): void {
  const front = control === undefined ? undefined : FRONTS[control];
  if (front === undefined) return;
  const listeners = server.listeners("request") as Serve[];
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const isTaken =
      RIGHT_KEY.test(request.headers.authorization ?? "") && front.takes.test(request.url ?? "");
    if (isTaken) request.resume().on("end", () => front.answer(request, response));
    else for (const listener of listeners) listener.call(server, request, response);
  });
}
