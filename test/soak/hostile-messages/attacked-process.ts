/**
 * The service in a process of its own, so that its event loop, its memory and its end are its own
 * too; or one of two that are broken on purpose. Answers what the row asks.
 */
import { createHash } from "node:crypto";
import * as Y from "yjs";
import { isUserId } from "../../../src/accounts/account-store.ts";
import type { OutlineId } from "../../../src/core/node-key.ts";
import type { Documents } from "../../../src/documents/documents.ts";
import type { OutlineDocument } from "../../../src/documents/replica/outline-document.ts";
import type { Receipt } from "../../../src/documents/replica/received-updates.ts";
import type { SyncDocument, SyncDocuments } from "../../../src/sync/sync-document.ts";
import { startService, type TestService } from "../../support/service.ts";
import { breakFront } from "../hostile-requests/broken-front.ts";
import { contentOf } from "./outline-content.ts";
import type { Answers, Ask, AttackedRole, Counts } from "./attacked-server.ts";
import { TurnMeter } from "./turn-meter.ts";
import { type WatchedLog, watchedLog } from "./watched-log.ts";

type Receive = OutlineDocument["receive"];

/** How a document takes an update, by the control that is asked for. */
function receiverOf(document: OutlineDocument, control: string | undefined): Receive {
  switch (control) {
    case "guard-lets-all-through":
      return async (update): Promise<Receipt> => {
        const durable = document.write(({ doc }) => Y.applyUpdate(doc, update));
        durable.catch(() => undefined);
        return { kind: "applied", durable: durable.then(() => document.head) };
      };
    case "refused-is-acknowledged": {
      const acknowledged = (receipt: Receipt): Receipt => {
        if (receipt.kind === "applied") return receipt;
        return { kind: "applied", durable: Promise.resolve(document.head) };
      };
      return async (update, author) => acknowledged(await document.receive(update, author));
    }
    default:
      return (update, author) => document.receive(update, author);
  }
}

/** The documents as the websocket side sees them, with every update counted. */
function watched(documents: Documents, control: string | undefined, counts: Counts): SyncDocuments {
  return {
    subscribe: (id, listener) => documents.subscribe(id, listener),
    unopened: (id, isWanted) => documents.unopened(id, isWanted),
    async open(id, isWanted) {
      const { document, release } = await documents.open(id, isWanted);
      const receive = receiverOf(document, control);
      const seen: SyncDocument = {
        outline: document.outline,
        epoch: document.epoch,
        get head() {
          return document.head;
        },
        receive(update, author) {
          counts.judged++;
          return receive(update, author);
        },
        stateVector: () => document.stateVector(),
        difference: (stateVector) => document.difference(stateVector),
        extent: (isWanted) => document.extent(isWanted),
        chunk: (place, isWanted) => document.chunk(place, isWanted),
        since: (seq, isWanted) => document.since(seq, isWanted),
        expectDevice: (author) => document.expectDevice(author),
        isClientOf: (client, author) => document.isClientOf(client, author),
      };
      // Only these methods of it are ever called.
      return { document: seen as OutlineDocument, release };
    },
  };
}

async function start({ control, limits = {} }: AttackedRole): Promise<void> {
  const counts: Counts = { judged: 0, refused: {}, closed: {} };
  const countIn = (table: Record<string, number>, name: string): void => {
    table[name] = (table[name] ?? 0) + 1;
  };
  const log = watchedLog();
  const service = await startService({
    store: "level",
    exportLimitMs: 0,
    limits,
    logger: log.logger,
    // A disk that others use is slow, and not broken; and what changes is to change by messages only.
    documentLimits: { appendTimeoutMs: 60_000, loadTimeoutMs: 60_000, purgeQuietMs: 60 * 60_000 },
    documentEvents: { onDefect: (error) => log.logger.error({ err: error }, "defect") },
    sync: (documents) => ({
      documents: watched(documents, control, counts),
      // A connection that lives longer than with the usual limits takes more of what is refused. The
      // clients share one process, which may be kept from answering a ping for long.
      limits: { refusals: 500, heartbeatMs: 10 * 60_000 },
      events: {
        onRefused: (code) => countIn(counts.refused, code),
        onClosed: (_dialect, code) => countIn(counts.closed, String(code)),
      },
    }),
  });
  breakFront(service.app.server, control);
  const meter = new TurnMeter();
  const { url, key } = service;
  process.on("message", ({ id, ask }: { readonly id: number; readonly ask: Ask }) => {
    void answer(service, ask, { counts, meter, log }).then((result) =>
      process.send?.({ id, result }),
    );
  });
  process.send?.({ url, key });
}

interface Watches {
  readonly counts: Counts;
  readonly meter: TurnMeter;
  readonly log: WatchedLog;
}

async function answer(
  service: TestService,
  ask: Ask,
  { counts, meter, log }: Watches,
): Promise<Answers[Ask["kind"]]> {
  const { accounts, documents } = service;
  switch (ask.kind) {
    case "user": {
      const { key } = await service.newUser(ask.name);
      return key;
    }
    case "key": {
      const created = await accounts.createKey(userId(ask.user), {
        name: "more",
        scope: ask.scope,
      });
      if (created.kind !== "created") throw new Error(created.kind);
      return created.key;
    }
    case "counts":
      return {
        ...counts,
        ...meter.take(),
        faults: log.faults,
        leaks: log.leaks,
        logLines: log.lines,
        rssMb: process.memoryUsage().rss / 2 ** 20,
      };
    case "content":
      return documents.use(await outlineOf(service, ask.user), (document) =>
        document.read(({ doc }) => {
          meter.leaveOut();
          return hashOf([contentOf(doc)]);
        }),
      );
    case "state": {
      const keys = (await accounts.listKeys(userId(ask.user))).map(({ id }) => id);
      return documents.use(await outlineOf(service, ask.user), (document) =>
        document.read(({ doc }) => {
          meter.leaveOut();
          return hashOf([Y.encodeStateAsUpdate(doc), ...keys]);
        }),
      );
    }
    case "stored": {
      const updates: Uint8Array[] = [];
      const outline = await outlineOf(service, ask.user);
      for await (const update of documents.stored(outline)) updates.push(update);
      return hashOf(updates);
    }
  }
}

async function outlineOf({ accounts }: TestService, name: string): Promise<OutlineId> {
  const user = await accounts.user(userId(name));
  if (user === undefined) throw new Error(`no user ${name}`);
  return user.outline;
}

function userId(name: string) {
  if (!isUserId(name)) throw new Error(name);
  return name;
}

function hashOf(parts: readonly (Uint8Array | string)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

process.once("message", (role: AttackedRole) => void start(role));
process.once("disconnect", () => process.exit());
