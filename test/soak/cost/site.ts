import type { ServerResponse } from "node:http";
import { isUserId, type User } from "../../../src/accounts/account-store.ts";
import { isNodeKey, systemNodeOf } from "../../../src/core/node-key.ts";
import { nodesOf } from "../../../src/core/schema.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import { startService, type TestService } from "../../support/service.ts";
import { helloFrame, type Sending } from "./message-genes.ts";
import type { CostRequest } from "./request-genes.ts";
import { quiet } from "./thread-ms.ts";
import { Wire } from "./wire.ts";

const BYSTANDERS_NODES = 20;
const LARGE_ANSWER = 256 * 1024;

/** What an answer has at most beside what was asked for. */
const OVERHEAD_BYTES = 1_024;

/** Its head, and all of it when it is short. */
function overheadOf(response: ServerResponse): number {
  const length = response.getHeader("content-length");
  if (length === undefined) return OVERHEAD_BYTES;
  const headers = Object.entries(response.getHeaders());
  const head = headers.reduce(
    (sum, [name, value]) => sum + `${name}: ${String(value)}\r\n`.length,
    0,
  );
  return Math.min(OVERHEAD_BYTES, head + Number(length));
}

/** The service as the server wires it, in this process, with clients on wires. */
export class Site {
  readonly service: TestService;
  readonly bystander: CostClient;
  /** Requests that are not answered yet. */
  #underWay = 0;
  /** Of them, those in which nothing went on for long: who asked does not read the answer. */
  #stuck = 0;
  #overheadBytes = 0;
  #users = 0;
  /** What was answered, by status, and refused, by code. */
  readonly tally: Record<string, number>;

  private constructor(
    service: TestService,
    user: User,
    key: string,
    tally: Record<string, number>,
  ) {
    this.service = service;
    this.tally = tally;
    this.bystander = new CostClient(this, user, key);
    service.app.server.on("request", (_request, response) => {
      this.#underWay++;
      response.once("close", () => {
        this.#underWay--;
        this.#stuck = Math.min(this.#stuck, this.#underWay);
        this.#overheadBytes += overheadOf(response);
        this.count(`status ${response.statusCode}`);
      });
    });
  }

  static async open(): Promise<Site> {
    const tally: Record<string, number> = {};
    const count = (what: string): void => {
      tally[what] = (tally[what] ?? 0) + 1;
    };
    const service = await startService({
      // A write that takes longer than it may is what is looked for, and no failure of the store.
      documentLimits: { appendTimeoutMs: 600_000, loadTimeoutMs: 600_000 },
      exportLimitMs: 0,
      documentEvents: { onDefect: () => count("defect") },
      sync: () => ({ events: { onRefused: (code) => count(`refused ${code}`) } }),
    });
    const site = new Site(service, await userOf(service, service.user), service.key, tally);
    for (let index = 0; index < BYSTANDERS_NODES; index++) {
      site.bystander.request({ method: "POST", path: "/api/v1/nodes", body: '{"name":"a line"}' });
    }
    await site.settled();
    return site;
  }

  /** What the answers had beside what was asked for. */
  get overheadBytes(): number {
    return this.#overheadBytes;
  }

  count(what: string): void {
    this.tally[what] = (this.tally[what] ?? 0) + 1;
  }

  /** A new user with an empty outline that is in memory, and a device that is connected. */
  async newClient(): Promise<CostClient> {
    const { user, key } = await this.service.newUser(`user-${this.#users++}`);
    const client = new CostClient(this, await userOf(this.service, user), key);
    client.open();
    // What opening an outline takes is no cost of what is sent then.
    client.request({
      method: "POST",
      path: "/api/v1/nodes",
      body: '{"name":"a *line*","note":"a"}',
    });
    client.request({ method: "GET", path: "/api/v1/nodes" });
    await this.settled();
    return client;
  }

  /** Resolves when all that was sent is done. @returns milliseconds of the thread that it took */
  async settled(onLook?: () => void): Promise<number> {
    const workedMs = await quiet(() => this.#underWay > this.#stuck, onLook);
    this.#stuck = this.#underWay;
    return workedMs;
  }

  async close(): Promise<void> {
    this.bystander.end();
    await this.service.close();
  }
}

/** One user, on wires. */
export class CostClient implements Sending {
  /** Called while the server still has what it answers. */
  onLargeAnswer: (() => void) | undefined;
  readonly #site: Site;
  readonly #user: User;
  readonly #key: string;
  readonly #wires = new Set<Wire>();
  #requests: Wire | undefined;
  #device: Wire | undefined;
  #sentBytes = 0;
  readonly #answered = { requests: 0, sockets: 0 };

  constructor(site: Site, user: User, key: string) {
    this.#site = site;
    this.#user = user;
    this.#key = key;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Bytes that were answered to requests, and that came over websockets. */
  get answered(): { readonly requests: number; readonly sockets: number } {
    return { ...this.#answered };
  }

  request(request: CostRequest): void {
    this.sendRequests(this.requestBytes([request]));
  }

  /** Requests one behind the other. */
  requestBytes(requests: readonly CostRequest[]): Uint8Array {
    return Buffer.concat(
      requests.map(({ method, path, body }) => {
        const length = body === undefined ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
        const head = `${method} ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${this.#key}\r\n${length}\r\n`;
        return Buffer.from(head + (body ?? ""));
      }),
    );
  }

  sendRequests(bytes: Uint8Array): void {
    if (this.#requests?.isOpen !== true) this.#requests = this.#wire("requests");
    this.#send(this.#requests, bytes);
  }

  /** What its outline has, while it is in memory: nodes, and those of them that are months. */
  get nodes(): { readonly all: number; readonly months: number } {
    const outline = this.#site.service.documents.peek(this.#user.outline)?.outline;
    if (outline === undefined) return { all: 0, months: 0 };
    let months = 0;
    for (const key of nodesOf(outline.doc).keys()) {
      const isMonth = isNodeKey(key) && systemNodeOf(key)?.kind === "month";
      if (isMonth && outline.tree.rowAt(key) !== undefined) months++;
    }
    return { all: outline.tree.knownCount, months };
  }

  /** Sends an update from its device. @param frame the message as a whole frame */
  update(frame: Uint8Array): void {
    this.#site.count("updates");
    this.frame(frame);
  }

  frame(bytes: Uint8Array): void {
    if (this.#device?.isOpen !== true) this.open();
    if (this.#device !== undefined) this.#send(this.#device, bytes);
  }

  connect({ frames, isDeaf, stays }: Parameters<Sending["connect"]>[0]): void {
    const wire = this.#upgrade(isDeaf);
    for (const frame of frames) this.#send(wire, frame);
    if (!stays) setImmediate(() => this.#end(wire));
  }

  /** Connects the device. */
  open(): void {
    this.#device = this.#upgrade(false);
    this.#send(this.#device, helloFrame());
  }

  /** Hangs up everywhere, and removes what it has. */
  async remove(): Promise<void> {
    this.end();
    const { accounts, documents } = this.#site.service;
    await accounts.removeUser(this.#user.id);
    await documents.drop(this.#user.outline);
  }

  end(): void {
    for (const wire of this.#wires) wire.end();
    this.#wires.clear();
  }

  #upgrade(isDeaf: boolean): Wire {
    const wire = this.#wire("sockets", isDeaf);
    const lines = [
      "GET /sync/me HTTP/1.1",
      "host: a",
      "upgrade: websocket",
      "connection: Upgrade",
      "sec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==",
      "sec-websocket-version: 13",
      `sec-websocket-protocol: ${SUBPROTOCOL.extended}, ${this.#key}`,
      "",
      "",
    ];
    this.#send(wire, Buffer.from(lines.join("\r\n")));
    return wire;
  }

  #wire(kind: "requests" | "sockets", isDeaf = false): Wire {
    const wire = new Wire((bytes) => {
      this.#answered[kind] += bytes.length;
      if (bytes.length > LARGE_ANSWER) this.onLargeAnswer?.();
    }, isDeaf);
    this.#wires.add(wire);
    this.#site.service.app.server.emit("connection", wire.serverEnd);
    return wire;
  }

  #send(wire: Wire, bytes: Uint8Array): void {
    this.#sentBytes += bytes.length;
    wire.send(bytes);
  }

  #end(wire: Wire): void {
    wire.end();
    this.#wires.delete(wire);
  }
}

async function userOf({ accounts }: TestService, id: string): Promise<User> {
  const user = isUserId(id) ? await accounts.user(id) : undefined;
  if (user === undefined) throw new Error(`no user ${id}`);
  return user;
}
