import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Registry } from "prom-client";
import type { Accounts } from "../accounts/accounts.ts";
import { SignIns } from "../accounts/sign-ins.ts";
import type { Documents } from "../documents/documents.ts";
import { Admission } from "./admission.ts";
import type { AppFile } from "./app-files.ts";
import { addAppRoutes } from "./app-routes.ts";
import { answerBrokenConnection, refuseTunnel } from "./broken-connection.ts";
import { addDocumentationRoutes } from "./documentation-routes.ts";
import { isByTls, TLS_HEADER } from "./guard-headers.ts";
import { addHealthRoutes } from "./health-routes.ts";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import { readJsonBody } from "./json-body.ts";
import { addOperation } from "./operation-route.ts";
import { OPERATIONS } from "./operations.ts";
import { ProblemError } from "./problem.ts";
import { keepQueryText } from "./query-text.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { Responder } from "./responder.ts";
import { ServedNames } from "./served-names.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { UnroutedRequests } from "./unrouted-requests.ts";

export interface AppOptions {
  readonly documents: Documents;
  readonly accounts: Accounts;
  readonly limits?: Partial<HttpLimits>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told of each request in one line, and of faults. */
  readonly logger: FastifyBaseLogger;
  /** Where the numbers of requests go, and what `/metrics` shows. */
  readonly metrics: Registry;
  /** A round trip to the store; rejects when that does not work. */
  readonly health: () => Promise<void>;
  /** Takes the one token that each window holds: 0, or the milliseconds until the next one. */
  readonly takeToken: (key: string, windowMs: number) => Promise<number>;
  /** The web app; without it there is only the API. */
  readonly appFiles?: readonly AppFile[];
}

/** Longer than any path that the HTTP parser lets through. */
const MAX_PARAMETER_LENGTH = 64 * 1024;

/**
 * How long a connection is kept after an answer while the service closes: Node adds a second to it.
 * 0 would be for ever.
 */
const CLOSING_KEEP_ALIVE_MS = 1;

/** The HTTP side of the service, not listening yet. */
export function createApp(options: AppOptions): FastifyInstance {
  const { documents, accounts, logger, metrics, now } = options;
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const signIns = new SignIns({ accounts, perMinute: limits.failedSignInsPerMinute, now });
  const admission = new Admission({ accounts, signIns, limits, now });
  const responder = new Responder(new RequestMetrics(metrics), logger);
  const unrouted = new UnroutedRequests(admission, responder);

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    request.startedAt = performance.now();
    if (isByTls(request, limits)) reply.header(...TLS_HEADER);
  }

  const app = Fastify({
    // The responder logs, in lines of its own: the framework's hold addresses and their texts, and
    // cost a logger for each request.
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    // Otherwise Node itself refuses such requests, in a form of its own.
    http: { requireHostHeader: false },
    trustProxy: limits.trustedProxies === "" ? false : limits.trustedProxies,
    // While closing, requests that arrive on open connections are still answered.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: keepQueryText,
    },
    // No hook runs for these.
    frameworkErrors: (_error, request, reply) => {
      begin(request, reply);
      void unrouted.answerBrokenPath(request, reply);
    },
    clientErrorHandler: answerBrokenConnection,
  });
  app.decorateRequest("startedAt", undefined);
  app.decorateRequest("admitted", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    begin(request, reply);
    // Bodies are JSON whatever this header says, which it need not even say in the right form.
    delete request.raw.headers["content-type"];
    // Here, since afterwards the body would be read, and might be refused before the route is.
    if (request.is404) void unrouted.answer(request, reply);
    else done();
  });
  // Only what is idle is closed at once. What is still answered would be kept for a next request.
  app.addHook("preClose", (done) => {
    app.server.keepAliveTimeout = CLOSING_KEEP_ALIVE_MS;
    done();
  });
  readBodiesAsJson(app);
  app.setErrorHandler((error, request, reply) => {
    // The framework hangs up after a body that it refused. What is left of one is skipped instead,
    // or clients that are still sending would see a reset connection and not the answer.
    reply.removeHeader("connection");
    return responder.sendFailure(request, reply, error);
  });

  unrouted.watch(app);
  const { takeToken, health } = options;
  const servedNames = new ServedNames(now);
  const service = { documents, accounts, limits, servedNames, now, takeToken };
  for (const operation of OPERATIONS)
    addOperation(app, { operation, admission, responder, service });
  addSessionRoutes(app, { responder, admission, signIns, limits });
  addHealthRoutes(app, responder, health, metrics, now);
  addDocumentationRoutes(app, responder);
  addAppRoutes(app, responder, options.appFiles ?? []);
  // Of expectations only `100-continue` means anything; others are ignored instead of refused.
  app.server.on("checkExpectation", (request, response) =>
    app.server.emit("request", request, response),
  );
  // Otherwise Node hangs up without a word.
  app.server.on("connect", (_request, socket) => refuseTunnel(socket));
  return app;
}

function readBodiesAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, source, done) => {
    const body = readJsonBody(String(source));
    if (body.kind === "problem") done(new ProblemError(body));
    else done(null, body.value);
  });
}
