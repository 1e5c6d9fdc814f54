import type { NodeKey, Random } from "../../../src/core/node-key.ts";
import { LAYOUTS } from "../../../src/core/node/layout.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import type { Agenda } from "./agenda.ts";
import { type Claim, type Claims, keysAtAndBelow } from "./claims.ts";
import type { DurableOutline } from "./durable-outline.ts";
import { Link } from "./link.ts";
import { isGuarded, someNode } from "./places.ts";
import type { RestAnswer, RestRequest, Server } from "./server.ts";

export interface ScriptOptions {
  readonly agenda: Agenda;
  readonly key: string;
  readonly claims: Claims;
  readonly durable: DurableOutline;
  readonly server: () => Server | undefined;
  readonly onDefect: (error: unknown) => void;
  readonly count: (what: string) => void;
  readonly mirrors: boolean;
}

type Request = Omit<RestRequest, "key">;

/** A program that uses the API, one request after the other, and remembers what it was promised. */
export class Script {
  readonly link: Link;
  key: string;
  readonly #options: ScriptOptions;
  readonly #random: Random;
  #isBusy = false;

  constructor(options: ScriptOptions) {
    const { agenda, key } = options;
    this.#options = options;
    this.key = key;
    this.link = new Link(agenda);
    this.#random = agenda.fork();
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Does something, unless it still waits for an answer. */
  act(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#doSomething()
      .catch((error: unknown) => this.#options.onDefect(error))
      .finally(() => (this.#isBusy = false));
  }

  /** What the server answers; undefined when there is no answer, whatever that means. */
  async ask(request: Request): Promise<RestAnswer | undefined> {
    const { agenda, server, count, onDefect } = this.#options;
    await new Promise<void>((resolve) => agenda.after(this.link.delay(), resolve));
    const asked = server();
    if (asked === undefined || !asked.isListening || this.link.state !== "up") return undefined;
    count("requests");
    const answer = await new Promise<RestAnswer | undefined>((resolve) => {
      asked.program.onDeath(() => resolve(undefined));
      asked.rest({ ...request, key: this.key }).then(resolve, (error: unknown) => {
        onDefect(error);
        resolve(undefined);
      });
    });
    if (!asked.isRunning || answer === undefined) {
      count("requests without an answer");
      return undefined;
    }
    agenda.note(`${request.operation} ${answer.status}`);
    count(answer.status < 300 ? "requests done" : `requests refused: ${answer.status}`);
    return answer;
  }

  async #doSomething(): Promise<void> {
    const random = this.#random;
    const { outline } = this.#options.durable;
    const key = someNode(outline, random);
    if (this.#options.mirrors && key !== undefined && random() < 0.08) return this.#mirror(key);
    const kind = integerBelow(random, 100);
    if (key === undefined || kind < 22) return this.#create(key);
    if (kind < 45) return this.#rename();
    if (kind < 52) return this.#delete(key);
    const id = key;
    const body = this.#bodyOf(kind, outline.node(someNode(outline, random) ?? key)?.key ?? key);
    const operation = operationOf(kind, random);
    const answer = await this.ask({ operation, id, ...(body === undefined ? {} : { body }) });
    if (answer?.status === 500) throw new Error(`${operation} failed`);
  }

  async #create(key: NodeKey | undefined): Promise<void> {
    const random = this.#random;
    const known = oneOf(random, ["None", "inbox", "today", "tomorrow"]);
    const parent = random() < 0.6 ? (key ?? known) : known;
    const name = random() < 0.8 ? "from a script" : "- [ ] several\n\nparts **bold**\n\nof it";
    const body = {
      parent_id: parent,
      name,
      position: oneOf(random, ["top", "bottom"]),
      ...(random() < 0.2 ? { note: "a note" } : undefined),
    };
    const answer = await this.ask({ operation: "createNode", body });
    if (answer?.status !== 200) return;
    const { item_id: id } = answer.body as { item_id: string };
    const claim = this.#claim({ nodes: [id.slice(-12) as NodeKey] });
    this.#saved(claim);
  }

  /** Reads a name, thinks about it, and adds something to it. */
  async #rename(): Promise<void> {
    const { durable, claims, agenda, onDefect } = this.#options;
    const shown = someNode(durable.outline, this.#random, isGuarded);
    const key = shown && durable.outline.heldBy(shown);
    if (key === undefined) return;
    const promised = claims.promisedIn(key);
    const read = await this.ask({ operation: "retrieveNode", id: key });
    if (read?.status !== 200) return;
    const { node } = read.body as { node: { name: string; data: { layoutMode: string } } };
    // There tags are text.
    if (node.data.layoutMode === "code-block") return;
    const plain = node.name.replace(/<[^>]*>/g, "");
    const wrong = claims.shown(key, plain, promised, durable);
    if (wrong.length > 0) onDefect(new Error(`read: ${wrong.join("; ")}`));
    await new Promise<void>((resolve) => agenda.after(integerBelow(this.#random, 400), resolve));
    const token = { text: claims.newToken(), key };
    const claim = this.#claim({ token });
    const name = this.#random() < 0.5 ? `${node.name} ${token.text}` : `${token.text} ${node.name}`;
    const body = { name, base_name: node.name };
    const answer = await this.ask({ operation: "updateNode", id: key, body });
    if (answer?.status === 200) this.#saved(claim);
  }

  /** Makes a mirror of a node, or takes one away. */
  async #mirror(key: NodeKey): Promise<void> {
    const { durable, claims, count } = this.#options;
    const isMirror = (each: NodeKey): boolean => durable.outline.heldBy(each) !== each;
    const mirrors = [...durable.outline.keysInOrder()].filter(isMirror);
    if (mirrors.length > 0 && this.#random() < 0.3) {
      const removed = oneOf(this.#random, mirrors);
      const answer = await this.ask({ operation: "removeMirror", id: removed });
      if (answer?.status !== 200) return;
      claims.deleted([removed]);
      claims.deletedForGood(removed);
      return count("mirrors removed");
    }
    const parent = someNode(durable.outline, this.#random) ?? key;
    const body = { parent_id: parent };
    const answer = await this.ask({ operation: "mirrorNode", id: key, body });
    if (answer?.status === 200) count("mirrors made");
  }

  async #delete(key: NodeKey): Promise<void> {
    const { durable, claims } = this.#options;
    const below = [...durable.outline.keysInOrder(key)].length;
    if (below > 6 && this.#random() < 0.8) return;
    const goes = (): void => claims.deleted(keysAtAndBelow(durable.outline, key));
    goes();
    const answer = await this.ask({ operation: "deleteNode", id: key });
    if (answer?.status === 200) claims.deletedForGood(key);
    goes();
  }

  #claim(of: Partial<Pick<Claim, "nodes" | "token">>): Claim {
    return this.#options.claims.make({ maker: this, run: this, ...of });
  }

  #saved(claim: Claim): void {
    const { claims, durable, onDefect } = this.#options;
    const missing = claims.save((each) => each === claim, durable);
    if (missing.length > 0) onDefect(new Error(`answered and not on the disk: ${missing.join()}`));
  }

  #bodyOf(kind: number, other: NodeKey): unknown {
    const random = this.#random;
    if (kind < 68) return { parent_id: random() < 0.8 ? other : null, position: "bottom" };
    if (kind < 74) {
      const layoutMode = oneOf(
        random,
        LAYOUTS.filter((layout) => layout !== "code-block"),
      );
      return { layoutMode, note: oneOf(random, ["noted", ""]) };
    }
    if (kind < 76) return { key: oneOf(random, ["work", "Home", "api"]), node_id: other };
    if (kind === 76) return { weekStart: integerBelow(random, 7) };
    return undefined;
  }
}

/** What is done with a node, as `#bodyOf` has it. */
function operationOf(kind: number, random: Random): string {
  if (kind < 68) return "moveNode";
  if (kind < 74) return "updateNode";
  if (kind < 76) return "setTarget";
  if (kind === 76) return "changeSettings";
  if (kind < 84) return random() < 0.6 ? "completeNode" : "uncompleteNode";
  return oneOf(random, [
    "listNodes",
    "retrieveNode",
    "exportNodes",
    "listTargets",
    "getSettings",
    "listKeys",
  ]);
}
