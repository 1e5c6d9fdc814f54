import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Accounts } from "../../../src/accounts/accounts.ts";
import { SignIns } from "../../../src/accounts/sign-ins.ts";
import type { DocumentLimits } from "../../../src/documents/document-limits.ts";
import { Documents } from "../../../src/documents/documents.ts";
import type { OutlineLog } from "../../../src/documents/log/outline-log.ts";
import { Turns } from "../../../src/documents/turns/turns.ts";
import { ExportLimit } from "../../../src/http/export-limit.ts";
import { DEFAULT_HTTP_LIMITS } from "../../../src/http/http-limits.ts";
import type { Answer } from "../../../src/http/operation.ts";
import { OPERATIONS } from "../../../src/http/operations.ts";
import { problemOfError } from "../../../src/http/problem-of-error.ts";
import { PROBLEM_STATUS, problem } from "../../../src/http/problem.ts";
import { HeldRequests } from "../../../src/http/changes/held-requests.ts";
import { ClientDocuments } from "../../../src/http/oauth/client-documents.ts";
import { RequestTurns } from "../../../src/http/intake/request-turns.ts";
import type { Service } from "../../../src/http/service.ts";
import type { MemoryStore } from "../../support/memory-store/memory-store.ts";
import { SyncServer } from "../../../src/sync/sync-server.ts";
import type { SyncDocuments } from "../../../src/sync/sync-document.ts";
import type { SyncLimits } from "../../../src/sync/sync-limits.ts";
import { newMemory } from "../../support/test-memory.ts";
import type { Agenda } from "./agenda.ts";
import type { Connection } from "./connection.ts";
import { Program } from "./program.ts";
import type { ServerDisk } from "./server-disk.ts";

const EXPORT_LIMIT_MS = 2000;

export interface RestRequest {
  /** As in the OpenAPI document. */
  readonly operation: string;
  readonly key: string;
  /** The last parameter of the path. */
  readonly id?: string;
  readonly query?: string;
  readonly body?: unknown;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Parts of the server that a control replaces by broken ones. */
export interface BrokenServer {
  readonly log?: (log: OutlineLog) => OutlineLog;
  readonly documents?: (documents: SyncDocuments) => SyncDocuments;
  readonly answer?: (request: RestRequest, answer: RestAnswer) => RestAnswer;
}

export interface ServerLimits {
  readonly documents: Partial<DocumentLimits>;
  readonly sync: Partial<SyncLimits>;
}

export interface ServerOptions {
  readonly agenda: Agenda;
  readonly disk: ServerDisk;
  readonly limits: ServerLimits;
  readonly broken: BrokenServer;
  /** Told of what must not happen. */
  readonly onDefect: (error: unknown) => void;
  readonly count: (what: string) => void;
}

/** One run of the server's program, with everything that it has in memory. */
export class Server {
  readonly program: Program;
  readonly documents: Documents;
  readonly accounts: Accounts;
  readonly sync: SyncServer;
  readonly #store: MemoryStore;
  readonly #service: Service;
  readonly #broken: BrokenServer;
  readonly #connections = new Set<Connection>();
  #isListening = true;

  constructor({ agenda, disk, limits, broken, onDefect, count }: ServerOptions) {
    const program = new Program(agenda);
    this.#broken = broken;
    this.program = program;
    this.#store = disk.open(program);
    const { now } = agenda;
    const random = agenda.fork();
    const randomBytes = (length: number): Uint8Array =>
      Uint8Array.from({ length }, () => Math.floor(random() * 256));
    this.accounts = new Accounts({ store: this.#store.accounts, now, randomBytes, random });
    const log = broken.log?.(this.#store.log) ?? this.#store.log;
    const turns = new Turns(program, now);
    this.documents = new Documents({
      log,
      now,
      turns,
      random,
      timers: program,
      limits: limits.documents,
      events: {
        onDefect,
        onCompaction: () => count("compactions"),
        onPurge: () => count("purges"),
        onEvict: (reason) => count(`evictions: ${reason}`),
      },
    });
    const memory = newMemory();
    this.sync = new SyncServer({
      documents: broken.documents?.(this.documents) ?? this.documents,
      accounts: this.accounts,
      memory,
      signIns: new SignIns({ accounts: this.accounts, perMinute: 10, now }),
      name: "test",
      now,
      timers: program,
      limits: limits.sync,
      logger: { error: ({ err }: { err?: unknown }) => onDefect(err) },
      events: {
        onRefused: (code) => count(`refused: ${code}`),
        onFellBehind: () => count("slow readers"),
        onClosed: (_dialect, code) => count(`closed: ${code}`),
      },
    });
    this.#service = {
      documents: this.documents,
      accounts: this.accounts,
      limits: { ...DEFAULT_HTTP_LIMITS, exportLimitMs: EXPORT_LIMIT_MS },
      memory,
      turns: new RequestTurns({
        turns,
        yieldNow: () => program.yieldNow(),
        elapsed: now,
      }),
      now,
      underWay: new Map(),
      oauth: { documents: new ClientDocuments({ now }) },
      held: new HeldRequests({
        documents: this.documents,
        accounts: this.accounts,
        timers: program,
        now,
      }),
      exports: new ExportLimit({
        windowMs: EXPORT_LIMIT_MS,
        now,
        takeToken: (key, windowMs) => log.takeToken(key, windowMs),
      }),
      // Nobody makes any.
      webhooks: { look: () => undefined, changed: () => undefined, test: async () => undefined },
    };
  }

  get isRunning(): boolean {
    return !this.program.isOver;
  }

  get isListening(): boolean {
    return this.isRunning && this.#isListening;
  }

  upgrade(request: IncomingMessage, connection: Connection): boolean {
    if (!this.isListening) return false;
    this.#connections.add(connection);
    const end = connection.serverEnd;
    end.on("close", () => this.#connections.delete(connection));
    void this.sync.handleUpgrade(request, end, Buffer.alloc(0));
    return true;
  }

  /** As the routes of the API do; never rejects. */
  async rest(request: RestRequest): Promise<RestAnswer> {
    const answer = await this.#answer(request);
    return this.#broken.answer?.(request, answer) ?? answer;
  }

  async #answer({
    operation: id,
    key,
    id: parameter = "",
    query,
    body,
  }: RestRequest): Promise<RestAnswer> {
    const operation = OPERATIONS.find((each) => each.id === id);
    if (operation === undefined) throw new Error(`no operation ${id}`);
    try {
      const principal = await this.accounts.authenticate(key);
      if (principal === undefined) return answerOf(problem("unauthorized", ""));
      const { write, wholeOutline } = operation.needs;
      if (
        (write && principal.scope !== "write") ||
        (wholeOutline && principal.root !== undefined)
      ) {
        return answerOf(problem("forbidden", ""));
      }
      const call = {
        principal,
        id: parameter,
        queryText: query ?? "",
        body,
        headers: {},
        headersOnly: false,
        address: () => undefined,
        onLeave: () => () => undefined,
      };
      return await answerOf(await operation.handle(call, this.#service));
    } catch (error) {
      const refusal = problemOfError(error);
      if (PROBLEM_STATUS[refusal.code] === 500) throw error;
      return answerOf(refusal);
    }
  }

  /** The process is killed, or the machine loses its power: then nobody tells the others. */
  crash(isMachineAlive: boolean): void {
    this.program.kill();
    for (const connection of this.#connections) connection.loseServer(isMachineAlive);
    this.#connections.clear();
  }

  /** Ends it as a signal does; resolves when all is written. */
  async stop(): Promise<void> {
    this.#isListening = false;
    await this.sync.close();
    await this.documents.close();
    await this.#store.close();
    this.program.kill();
  }
}

async function answerOf(answer: Answer): Promise<RestAnswer> {
  if (typeof answer === "string") return { status: 200, body: JSON.parse(answer) };
  if ("code" in answer) return { status: PROBLEM_STATUS[answer.code], body: answer };
  if ("status" in answer) {
    return { status: answer.status, body: JSON.parse(answer.text ?? "null") };
  }
  if ("text" in answer) return { status: 200, body: JSON.parse(answer.text) };
  if (answer instanceof Readable) return { status: 200, body: JSON.parse(await textOf(answer)) };
  throw new Error(`there is nothing to read in ${answer.kind}`);
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const part of stream) text += String(part);
  return text;
}
