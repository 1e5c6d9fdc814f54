import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { Accounts } from "../accounts/accounts.ts";
import type { Documents } from "../documents/documents.ts";
import { Admission } from "./admission.ts";
import { answerBrokenConnection } from "./broken-connection.ts";
import { addDocumentationRoutes } from "./documentation-routes.ts";
import { addHealthRoutes } from "./health-routes.ts";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import { readJsonBody } from "./json-body.ts";
import { addOperation } from "./operation-route.ts";
import { OPERATIONS } from "./operations.ts";
import { ProblemError } from "./problem.ts";
import { reportedProblem } from "./problem-of-error.ts";
import { keepQueryText } from "./query-text.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { COMMON_HEADERS, sendAnswer } from "./send-answer.ts";
import { ServedNames } from "./served-names.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { UnroutedRequests } from "./unrouted-requests.ts";

export interface AppOptions {
  readonly documents: Documents;
  readonly accounts: Accounts;
  readonly limits?: Partial<HttpLimits>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly logger: FastifyBaseLogger;
  /** Where the numbers of requests go, and what `/metrics` shows. */
  readonly metrics: Registry;
  /** A round trip to the store; rejects when that does not work. */
  readonly health: () => Promise<void>;
  /** Takes the one token that each window holds: 0, or the milliseconds until the next one. */
  readonly takeToken: (key: string, windowMs: number) => Promise<number>;
}

/** Longer than any path that the HTTP parser lets through. */
const MAX_PARAMETER_LENGTH = 64 * 1024;

/** The HTTP side of the service, not listening yet. */
export function createApp(options: AppOptions): FastifyInstance {
  const { documents, accounts, metrics, now } = options;
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const admission = new Admission(accounts, limits, now);
  const unrouted = new UnroutedRequests(admission);

  const app = Fastify({
    loggerInstance: options.logger,
    // One line of our own for each request, without the address and its texts.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
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
    frameworkErrors: (_error, request, reply) => void unrouted.answerBrokenPath(request, reply),
    clientErrorHandler: answerBrokenConnection,
  });

  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(COMMON_HEADERS);
    // Bodies are JSON whatever they say they are, or whatever else this header says.
    delete request.raw.headers["content-type"];
    done();
  });
  unrouted.watch(app);
  observeRequests(app, new RequestMetrics(metrics));
  readBodiesAsJson(app);
  answerErrors(app);

  app.decorateRequest("principal", undefined);
  const service = {
    documents,
    accounts,
    limits,
    servedNames: new ServedNames(),
    now,
    takeToken: options.takeToken,
  };
  for (const operation of OPERATIONS) addOperation(app, operation, admission, service);
  addSessionRoutes(app, accounts, limits, now);
  addHealthRoutes(app, options.health, metrics, now);
  addDocumentationRoutes(app);
  // Of expectations only `100-continue` means anything; others are ignored instead of refused.
  app.server.on("checkExpectation", (request, response) =>
    app.server.emit("request", request, response),
  );
  return app;
}

function observeRequests(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { method } = request;
    // The pattern of the route: an address may hold names of shortcuts, and has no end of values.
    const route = request.routeOptions.url ?? "none";
    const { statusCode: status, elapsedTime: durationMs } = reply;
    metrics.observe(method, route, status, durationMs);
    request.log.info(
      { method, route, status, durationMs, key: request.principal?.keyId },
      "request",
    );
    done();
  });
}

function readBodiesAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, source, done) => {
    const body = readJsonBody(String(source));
    if (body.kind === "problem") done(new ProblemError(body));
    else done(null, body.value);
  });
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    // The framework hangs up after a body that it refused. What is left of one is skipped instead,
    // or clients that are still sending would see a reset connection and not the answer.
    reply.removeHeader("connection");
    return sendAnswer(reply, reportedProblem(error, request));
  });
}
