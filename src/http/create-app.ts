import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Registry } from "prom-client";
import type { Accounts } from "../accounts/accounts.ts";
import { ClientAddresses } from "../accounts/client-address.ts";
import type { Passing } from "../accounts/passing.ts";
import { networkOf } from "../accounts/network-of.ts";
import type { SignIns } from "../accounts/sign-ins.ts";
import type { MemoryLedger } from "../charges/memory-ledger.ts";
import { UNWATCHED, type Watch } from "../charges/watchdog.ts";
import { payingNetwork } from "../charges/payer.ts";
import type { Documents } from "../documents/documents.ts";
import type { Timers } from "../documents/turns/timers.ts";
import type { Turns } from "../documents/turns/turns.ts";
import { Admission } from "./intake/admission.ts";
import type { AppFile } from "./app-files.ts";
import { addAppRoutes } from "./app-routes.ts";
import { BodyIntake } from "./intake/body-intake.ts";
import { HeldRequests } from "./changes/held-requests.ts";
import { answerBrokenConnection, refuseTunnel } from "./intake/broken-connection.ts";
import { addressOf } from "./intake/client-of.ts";
import { Connections } from "./intake/connections.ts";
import { addDocumentationRoutes } from "./docs/documentation-routes.ts";
import { isByTls, TLS_HEADER } from "./answer/guard-headers.ts";
import { ExportLimit } from "./export-limit.ts";
import { Handshakes } from "./intake/handshakes.ts";
import { addHealthRoutes } from "./health-routes.ts";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import { newHttpServer, type OwnTls } from "./intake/http-server.ts";
import { mcpOperation } from "./mcp/mcp-operation.ts";
import { askConsent } from "./oauth/ask-consent.ts";
import { ClientDocuments } from "./oauth/client-documents.ts";
import { giveConsent } from "./oauth/give-consent.ts";
import { addOAuthRoutes } from "./oauth/oauth-routes.ts";
import { serviceAddress } from "./oauth/service-address.ts";
import type { FetchJsonOptions } from "./outgoing/fetch-json.ts";
import { addMetricsRoute } from "./metrics-route.ts";
import { type UnderWay } from "./once.ts";
import { addOperation, newLongRequests, ONCE_HEADER } from "./operation-route.ts";
import { OPERATIONS } from "./operations.ts";
import type { PostOptions } from "./outgoing/post.ts";
import { PacedReading } from "./intake/paced-reading.ts";
import { PassingOn } from "./passing-on.ts";
import { ProblemError } from "./problem.ts";
import { keepQueryText } from "./intake/query-text.ts";
import { RequestGate } from "./intake/request-gate.ts";
import { requestTimes } from "./answer/request-times.ts";
import { RequestTurns } from "./intake/request-turns.ts";
import { Responder } from "./answer/responder.ts";
import { SessionCookies } from "./session-cookies.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { SkippedBodies } from "./intake/skipped-bodies.ts";
import { UnroutedRequests } from "./intake/unrouted-requests.ts";
import { addWebhookDeliveries } from "./webhooks/add-webhook-deliveries.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Those for requests. */
    connections: Connections;
    /** Answers a request that another process of the service has passed on. */
    takePassed: (request: IncomingMessage, response: ServerResponse) => void;
  }
}

export interface AppOptions {
  readonly documents: Documents;
  readonly accounts: Accounts;
  /** Shared with all that takes keys, so that guesses are counted together. */
  readonly signIns: SignIns;
  /** The name of the service, which its cookies have. */
  readonly name: string;
  readonly limits?: Partial<HttpLimits>;
  /** Without it the server speaks plain HTTP. */
  readonly tls?: OwnTls | undefined;
  /** Counts what is held for clients, here and elsewhere in the process. */
  readonly memory: MemoryLedger;
  /** Sees which requests take long; without it nobody does. */
  readonly watchdog?: Watch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets, by which work is measured. */
  readonly elapsed: () => number;
  /** By which requests are held until something happens. */
  readonly timers: Pick<Timers, "setTimeout" | "clearTimeout">;
  /** Resolves when all that has arrived in this turn of the event loop is taken in. */
  readonly yieldNow: () => Promise<void>;
  /** In which long work is done, whoever asks for it. */
  readonly turns: Turns;
  /** Told of each request in one line, and of faults. */
  readonly logger: FastifyBaseLogger;
  /** Where the numbers of requests go, and what `/metrics` shows. */
  readonly metrics: Registry;
  /** Who shows it may read the metrics from anywhere; without one they are for this machine only. */
  readonly metricsKey?: string | undefined;
  /** Whether this process is about to end, so that nothing new should be sent to it. */
  readonly isLeaving?: () => boolean;
  /** Where other processes serve outlines beside this one. */
  readonly passing?: Passing | undefined;
  /** A round trip to the store; rejects when that does not work. */
  readonly health: () => Promise<void>;
  /** Takes the one token that each window holds: 0, or the milliseconds until the next one. */
  readonly takeToken: (key: string, windowMs: number) => Promise<number>;
  /** The web app; without it there is only the API. */
  readonly appFiles?: readonly AppFile[];
  /** How webhooks reach others, where that is to be otherwise. */
  readonly webhooks?: Pick<PostOptions, "resolve" | "ca">;
  /** How the documents of OAuth clients are fetched, where that is to be otherwise. */
  readonly outgoing?: FetchJsonOptions | undefined;
}

/** Before anybody is known: a key has at most 256 characters. */
const PUBLIC_BODY_BYTES = 1024;
/** Escaped characters that a body may have beside those of two texts. */
const ESCAPES_BESIDE_TEXTS = 10_000;

/** Longer than any path that the HTTP parser lets through. */
const MAX_PARAMETER_LENGTH = 64 * 1024;

/**
 * How long a connection is kept after an answer while the service closes: Node adds a second to it.
 * 0 would be for ever.
 */
const CLOSING_KEEP_ALIVE_MS = 1;

/** The HTTP side of the service, not listening yet. */
export function createApp(options: AppOptions): FastifyInstance {
  const { documents, accounts, signIns, logger, metrics, now } = options;
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const { memory, yieldNow, elapsed, watchdog = UNWATCHED } = options;
  const addresses = new ClientAddresses(limits.trustedProxies);
  const connections = new Connections(limits, addresses);
  const handshakes = new Handshakes(connections);
  const turns = new RequestTurns({ turns: options.turns, yieldNow, elapsed });
  const cookies = new SessionCookies(options.name, limits);
  const { passing } = options;
  const admission = new Admission({
    signIns,
    cookies,
    limits,
    now,
    place: passing && ((outline, isPassedOn) => passing.place(outline, isPassedOn)),
  });
  const ownAddressOf = (request: FastifyRequest) => serviceAddress(request, limits);
  const responder = new Responder({
    times: requestTimes(metrics),
    memory,
    logger,
    addressOf: ownAddressOf,
  });
  const passingOn = passing && new PassingOn({ passing, admission, responder, limits });
  const unrouted = new UnroutedRequests(admission, responder);

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    request.startedAt = performance.now();
    if (isByTls(request, limits)) reply.header(...TLS_HEADER);
  }

  let takePassed: FastifyInstance["takePassed"] | undefined;
  const app = Fastify({
    // The responder logs, in lines of its own: the framework's hold addresses and their texts, and
    // cost a logger for each request.
    logger: false,
    bodyLimit: limits.bodyBytes,
    serverFactory: (handle) => {
      const gate = new RequestGate({
        connections,
        turns,
        memory,
        skipped: new SkippedBodies(yieldNow),
        reading: new PacedReading({ yieldNow, elapsed }),
        requestsPerAddress: limits.connectionsPerAddress,
        handle: ({ request, response }) => handle(request, response),
      });
      const take = (request: IncomingMessage, response: ServerResponse): void =>
        gate.take({ request, response });
      takePassed = (request, response) => gate.takePassed({ request, response });
      return newHttpServer({ limits, connections, handshakes, tls: options.tls, take });
    },
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
    clientErrorHandler: (error, broken) =>
      answerBrokenConnection(error, broken, (socket) => connections.of(socket)?.current),
  });
  app.decorateRequest("startedAt", undefined);
  app.decorateRequest("admitted", undefined);
  app.decorateRequest("limitsLeft", undefined);
  app.decorateRequest("keyId", undefined);
  app.decorateRequest("received", undefined);
  app.decorate("connections", connections);
  // The server is made with the framework.
  if (takePassed !== undefined) app.decorate("takePassed", takePassed);
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
    handshakes.endAll();
    app.server.keepAliveTimeout = CLOSING_KEEP_ALIVE_MS;
    done();
  });
  readBodiesAsJson(app, { limits, memory, turns });
  app.setErrorHandler((error, request, reply) => {
    // The framework hangs up after a body that it refused. What is left of one is skipped instead,
    // or clients that are still sending would see a reset connection and not the answer.
    reply.removeHeader("connection");
    return responder.sendFailure(request, reply, error);
  });

  unrouted.watch(app);
  const { takeToken, health } = options;
  const exports = new ExportLimit({ windowMs: limits.exportLimitMs, now, takeToken });
  const underWay: UnderWay = new Map();
  const { timers } = options;
  const held = new HeldRequests({ documents, accounts, timers, now });
  app.addHook("preClose", (done) => {
    held.close();
    done();
  });
  const common = { documents, accounts, limits, memory, turns, now };
  const delivering = { metrics, logger, timers, passing, ...options.webhooks };
  const webhooks = addWebhookDeliveries(app, common, delivering);
  const oauth = { documents: new ClientDocuments({ now, outgoing: options.outgoing }) };
  const service = { ...common, exports, held, underWay, webhooks, oauth };
  const longRequests = newLongRequests();
  for (const operation of [...OPERATIONS, mcpOperation, askConsent, giveConsent])
    addOperation(app, {
      operation,
      admission,
      responder,
      service,
      turns,
      longRequests,
      watchdog,
      passingOn,
    });
  addSessionRoutes(app, { responder, admission, accounts, signIns, cookies });
  addOAuthRoutes(app, {
    responder,
    grants: accounts.grants,
    addressOf: ownAddressOf,
    now,
    wrongPerMinute: signIns.perMinute,
  });
  addHealthRoutes(app, responder, health, now, options.isLeaving ?? (() => false));
  addMetricsRoute(app, { responder, registry: metrics, key: options.metricsKey });
  addDocumentationRoutes(app, responder);
  addAppRoutes(app, responder, options.appFiles ?? []);
  // Of expectations only `100-continue` means anything; others are ignored instead of refused.
  app.server.on("checkExpectation", (request, response) =>
    app.server.emit("request", request, response),
  );
  // Otherwise Node hangs up without a word.
  app.server.on("connect", (_request, socket: Socket) => {
    if (connections.isAnswering(socket)) socket.destroy();
    else refuseTunnel(socket);
  });
  return app;
}

interface BodyParts {
  readonly limits: HttpLimits;
  readonly memory: MemoryLedger;
  readonly turns: RequestTurns;
}

/** Those of operations are only received: parsing one is part of the work that its user waits for. */
function readBodiesAsJson(app: FastifyInstance, { limits, memory, turns }: BodyParts): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => {
    const { admitted, routeOptions } = request;
    const network = payingNetwork(networkOf(addressOf(request)));
    const options = {
      limit:
        admitted === undefined
          ? (routeOptions.config.publicBodyBytes ?? PUBLIC_BODY_BYTES)
          : routeOptions.bodyLimit,
      maxEscapes: ESCAPES_BESIDE_TEXTS + 2 * limits.textBytes,
      maxValues: admitted === undefined ? undefined : routeOptions.config.maxValues,
      holder: admitted?.holder ?? network,
      payer: admitted?.payer ?? network,
      memory,
      turns,
      isHashed: admitted !== undefined && request.headers[ONCE_HEADER] !== undefined,
    };
    const intake = new BodyIntake(payload, options, (refusal) => {
      if (refusal !== undefined) return done(new ProblemError(refusal));
      if (admitted !== undefined) {
        request.received = intake;
        return done(null);
      }
      const body = routeOptions.config.isForm === true ? intake.form() : intake.parse();
      if (body.kind === "problem") done(new ProblemError(body));
      else done(null, body.value);
    });
  });
}
