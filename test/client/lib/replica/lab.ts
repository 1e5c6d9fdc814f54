import type { Socket } from "../../../../client/lib/connection/socket.ts";
import type { Leading } from "../../../../client/lib/leading.ts";
import { openReplica } from "../../../../client/lib/open.ts";
import { nodePlatform } from "../../../../client/lib/node/node-platform.ts";
import type { Platform } from "../../../../client/lib/platform.ts";
import type { Replica } from "../../../../client/lib/replica.ts";
import type { ReplicaPosition, ReplicaStore } from "../../../../client/lib/store/replica-store.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { soleTab, type TabGroup } from "../../../../client/lib/tab-group.ts";
import { ROOT, type NodeKey } from "../../../../src/core/node-key.ts";
import type { Outline } from "../../../../src/core/outline.ts";
import { Deferred } from "../../../../src/documents/turns/deferred.ts";
import { decodeServerMessage, type Malformed } from "../../../../src/protocol/decode-message.ts";
import type { ServerMessage } from "../../../../src/protocol/message.ts";
import { startService, type ServiceOptions, type TestService } from "../../../support/service.ts";
import { until } from "../../../support/socket-until.ts";

interface OpenInLab {
  readonly store?: ReplicaStore;
  readonly tabs?: TabGroup;
  readonly key?: string;
  readonly url?: string;
  readonly platform?: Partial<Platform>;
  readonly loadLeading?: () => Promise<Leading>;
  readonly onPartMissing?: () => void;
  readonly mayStoreAnew?: () => boolean;
}

/** A real server and replicas that go with it. */
export class ReplicaLab {
  readonly service: TestService;
  readonly #replicas: Replica[] = [];

  private constructor(service: TestService) {
    this.service = service;
  }

  static async start(options?: ServiceOptions): Promise<ReplicaLab> {
    return new ReplicaLab(await startService(options));
  }

  async open(options: OpenInLab = {}): Promise<Replica> {
    const { store = new MemoryReplicaStore(), tabs = soleTab() } = options;
    const { url = this.service.url, key = this.service.key, ...others } = options;
    const platform = { ...nodePlatform(url, key), ...options.platform };
    const replica = await openReplica({ ...others, store, tabs, platform });
    this.#replicas.push(replica);
    return replica;
  }

  /**
   * A device that has to write its edits anew, and is slow to begin with it once it has the server's
   * state: `reached` resolves then, and `goOn` lets it.
   */
  async slowRewriter(store: ReplicaStore, tabs: TabGroup = soleTab()) {
    const reached = new Deferred<void>();
    const gate = new Deferred<void>();
    let hasState = false;
    const replica = await this.open({
      store,
      platform: this.hearing((message) => {
        if (message.kind === "welcome" && message.from === "state") hasState = true;
        return true;
      }),
      tabs: {
        get isLeader() {
          return tabs.isLeader;
        },
        onLeader: (listener) => tabs.onLeader(listener),
        post: (message) => tabs.post(message),
        onMessage: (listener) => tabs.onMessage(listener),
        // An id for the new replica is taken before it is written to.
        async hold(client) {
          if (hasState) {
            reached.resolve();
            await gate.promise;
          }
          return tabs.hold(client);
        },
        close: () => tabs.close(),
      },
    });
    return { replica, reached: reached.promise, goOn: () => gate.resolve() };
  }

  /** A node at the top level, made over the API. */
  async post(name: string): Promise<void> {
    const { status } = await this.service.request("POST", "/api/v1/nodes", { name });
    if (status >= 300) throw new Error(`POST: ${status}`);
  }

  /** What the server says about the key. */
  async session(): Promise<{ readonly outline: string }> {
    const { body } = await this.service.request("GET", "/session");
    return body as { outline: string };
  }

  /** The names of the server's top level. */
  async serverNames(): Promise<readonly string[]> {
    const { body } = await this.service.request("GET", "/api/v1/nodes?parent_id=None");
    return (body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
  }

  /** Sockets as usual, that note in `counts` how many messages each has sent. */
  counting(counts: number[], url = this.service.url): Partial<Platform> {
    const indexOf = new Map<Socket, number>();
    return this.#spying(url, (socket) => {
      const index = indexOf.get(socket) ?? counts.push(0) - 1;
      indexOf.set(socket, index);
      return () => {
        counts[index] = (counts[index] ?? 0) + 1;
      };
    });
  }

  /** Sockets as usual, that note in `lengths` how long each message was. */
  measuring(lengths: number[]): Partial<Platform> {
    return this.#spying(this.service.url, () => (bytes) => lengths.push(bytes.length));
  }

  /** Sockets as usual, on which only those messages arrive that `passes` lets through. */
  hearing(passes: (message: ServerMessage | Malformed) => boolean): Partial<Platform> {
    const platform = nodePlatform(this.service.url, this.service.key);
    return {
      openSocket: (outline, listener) =>
        platform.openSocket(outline, {
          onOpen: () => listener.onOpen(),
          onClose: (code) => listener.onClose(code),
          onMessage(bytes) {
            if (passes(decodeServerMessage(bytes))) listener.onMessage(bytes);
          },
        }),
    };
  }

  /** Writes as the server does. */
  async write(fn: (outline: Outline) => void): Promise<void> {
    const { documents, accounts, key } = this.service;
    const principal = await accounts.authenticate(key);
    if (principal === undefined) throw new Error("the key is good");
    await documents.use(principal.outline, (document) => document.write(fn));
  }

  /** Hands an update to the server as if another program had made it. */
  async receive(update: Uint8Array): Promise<void> {
    const { documents, accounts, key } = this.service;
    const principal = await accounts.authenticate(key);
    if (principal === undefined) throw new Error("the key is good");
    const author = { keyId: principal.keyId, session: {} };
    await documents.use(principal.outline, async (document) => {
      const receipt = await document.receive(update, author);
      if (receipt.kind !== "applied") throw new Error(receipt.kind);
      await receipt.durable;
    });
  }

  #spying(url: string, spy: (socket: Socket) => (bytes: Uint8Array) => void): Partial<Platform> {
    const platform = nodePlatform(url, this.service.key);
    return {
      openSocket(outline, listener) {
        const socket = platform.openSocket(outline, listener);
        const onSend = spy(socket);
        return {
          send(bytes) {
            onSend(bytes);
            socket.send(bytes);
          },
          close: () => socket.close(),
        };
      },
    };
  }

  async close(): Promise<void> {
    for (const replica of this.#replicas) await replica.close().catch(() => undefined);
    await this.service.close();
  }
}

/** Where nobody listens. */
export const NOWHERE = "http://127.0.0.1:9";

/**
 * The same store a second time, as a copied profile or a restored backup of the device has it.
 * @param at where the copy stands; absent: where the store does
 */
export async function copyOfDisk(disk: MemoryDisk, at?: ReplicaPosition): Promise<MemoryDisk> {
  const copy = new MemoryDisk();
  const from = new MemoryReplicaStore(disk);
  const to = new MemoryReplicaStore(copy);
  const { updates, outbox, clients, outline, ...stored } = await from.read();
  const position = at ?? stored.position;
  const own = outbox.map(({ update }) => update);
  const copied: Uint8Array[] = [];
  for await (const update of updates) copied.push(update);
  await to.replace({ updates: copied, own, position, clients });
  const isSent = outbox.some(({ number }) => number <= stored.sentUpTo);
  await to.write({ isSent, ...(outline && { outline }) });
  return copy;
}

/** Makes a node at the end of the top level. */
export function add(replica: Replica, name: string, parent = ROOT): NodeKey {
  const made = replica.edits.create({ parent, position: "bottom", name });
  if (made.kind !== "created") throw new Error(made.kind);
  return made.key;
}

/** The names of the top level, or of what is below a node. */
export function names(replica: Replica, parent = ROOT): readonly string[] {
  return replica.outline.children(parent).map(({ name }) => name);
}

/** Waits until a replica shows these names, in any order, at the top level. */
export async function untilNames(replica: Replica, wanted: readonly string[]): Promise<void> {
  const sorted = JSON.stringify([...wanted].sort());
  await until(
    () => JSON.stringify([...names(replica)].sort()) === sorted,
    `${sorted}, last: ${JSON.stringify(names(replica))}`,
  );
}

export async function untilStatus(
  replica: Replica,
  kind: Replica["status"]["kind"],
): Promise<void> {
  await until(() => replica.status.kind === kind, kind);
}
