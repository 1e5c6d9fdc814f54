import { expect } from "vitest";

import { expectSame } from "../../support/expect-same.ts";
import { type Answer, type Api, listPathOf, outcomeOf, pathOf, shortIdOf } from "./api.ts";
import { sentName } from "./model-name.ts";
import type { Pick, Step } from "./model-steps.ts";
import {
  type ModelNode,
  type ModelReference,
  type Outcome,
  OutlineModel,
} from "./outline-model.ts";
import type { ApiNode } from "./strict-answers.ts";
import type { TestClock } from "./test-clock.ts";

const SHORTCUTS = ["work", "home", "später"];
const SYSTEM = ["inbox", "2026-11-20", "2026-11-25", "2026-12-01", "2027-01-31", "2025-02-28"];
const RELATIVE = ["today", "tomorrow", "next_week"];
const TOP_LEVEL = ["None", "root", "NONE", "none"];
const NOWHERE = ["fedcba987654", "nowhere", "2026-02-30"];

/** Years, months and the calendar: how new ones stand to hand-made siblings is nobody's promise. */
function isCalendarFolder({ system }: ModelNode): boolean {
  return system !== undefined && system !== "inbox" && system.length !== 10;
}

/** Ways to write the id of a node. */
function formsOf(id: string): readonly string[] {
  const short = shortIdOf(id);
  const bare = id.replaceAll("-", "");
  return [
    id,
    short,
    id.toUpperCase(),
    bare,
    `https://x.example/#/${short}`,
    `http://x/y/#/${id}?z`,
  ];
}

/** Drives the service and the model side by side, and compares. */
export class ModelRun {
  readonly model = new OutlineModel();
  /** Every operation with its outcome that has come up. */
  readonly outcomes = new Set<string>();
  /** What was asked and answered, a line each, to read when a run fails. */
  readonly log: string[] = [];
  #api: Api;
  readonly #clock: TestClock;
  readonly #dead: ModelNode[] = [];

  constructor(api: Api, clock: TestClock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Goes on over another connection, to the same outline. */
  reconnect(api: Api): void {
    this.log.push("restart");
    this.#api = api;
  }

  async take(step: Step): Promise<void> {
    const { model } = this;
    const now = this.#clock.seconds;
    switch (step.do) {
      case "wait":
        this.log.push(`${step.seconds} s pass`);
        this.#clock.advance(step.seconds);
        return;
      case "create": {
        const [parent, parent_id] = this.#choose(step.at, true);
        const json = { ...step.fields, name: sentName(step.name), parent_id };
        const answer = await this.#ask("POST", "/nodes", json);
        const made = model.create(parent, step.name, step.fields, now);
        this.#expect(step, answer, typeof made === "string" ? made : "200");
        await this.#placeReturned();
        if (typeof made === "string") return;
        made.id = (answer.body as { item_id: string }).item_id;
        return this.#checkNode(made);
      }
      case "update": {
        const [reference, text] = this.#choose(step.at);
        const stored = model.findNode(reference)?.name ?? "x";
        const name = typeof step.name === "object" ? sentName(step.name) : stored;
        const json = step.name === undefined ? step.fields : { ...step.fields, name };
        const answer = await this.#ask("POST", pathOf(text), json);
        this.#expect(step, answer, model.update(reference, step.name, step.fields, now));
        return this.#checkNode(model.findNode(reference));
      }
      case "move": {
        const [reference, text] = this.#choose(step.at);
        const [parent, parent_id] = this.#choose(step.to, true);
        const { position } = step;
        const json = position === undefined ? { parent_id } : { parent_id, position };
        const answer = await this.#ask("POST", `${pathOf(text)}/move`, json);
        this.#expect(step, answer, model.move(reference, parent, position, now));
        await this.#placeReturned();
        return this.#checkNode(model.findNode(reference));
      }
      case "complete":
      case "uncomplete": {
        const [reference, text] = this.#choose(step.at);
        const answer = await this.#ask("POST", `${pathOf(text)}/${step.do}`);
        this.#expect(step, answer, model.complete(reference, step.do === "complete", now));
        return this.#checkNode(model.findNode(reference));
      }
      case "remove": {
        const [reference, text] = this.#choose(step.at);
        const node = model.findNode(reference);
        const gone = node === undefined ? [] : [node, ...model.nodes(node)];
        const answer = await this.#ask("DELETE", pathOf(text));
        this.#expect(step, answer, model.remove(reference));
        // A system node comes back under its id: the dead are ordinary nodes.
        this.#dead.push(...gone.filter(({ system }) => system === undefined));
        return;
      }
      case "retrieve": {
        const [reference, text] = this.#choose(step.at);
        const node = model.findNode(reference);
        const answer = await this.#ask("GET", pathOf(text));
        this.#expect(step, answer, node === undefined ? "404 not_found" : "200");
        if (node !== undefined) this.#compare([(answer.body as { node: ApiNode }).node], [node]);
        return;
      }
      case "list": {
        const [reference, text] = this.#choose(step.at);
        const place = model.find(reference);
        const answer = await this.#ask("GET", listPathOf(text));
        this.#expect(step, answer, place === undefined ? "404 not_found" : "200");
        if (place === undefined) return;
        this.#compare((answer.body as { nodes: readonly ApiNode[] }).nodes, place.children);
        return;
      }
      case "point": {
        const key = SHORTCUTS[step.key] ?? "";
        const [reference, id] = this.#choose(step.at);
        // Whether such a shortcut is back when its deleted system node comes back is left open.
        if (model.find(reference)?.system !== undefined) return;
        const answer = await this.#ask("POST", "/targets", { key, id });
        this.#expect(step, answer, model.setShortcut(key, reference));
        return;
      }
      case "unpoint": {
        const key = SHORTCUTS[step.key] ?? "";
        const answer = await this.#ask("DELETE", `/targets/${encodeURIComponent(key)}`);
        this.#expect(step, answer, model.removeShortcut(key));
        return;
      }
      case "refused": {
        const [, text] = this.#choose(step.at);
        const requests: readonly (readonly [path: string, json: object])[] = [
          ["/nodes", { parent_id: text }],
          ["/nodes", { parent_id: text, name: "x", layoutMode: "h 9" }],
          [`${pathOf(text)}/move`, { parent_id: "today", position: "left" }],
          [pathOf(text), { name: 5, note: "changed" }],
        ];
        const [path, json] = requests[step.how] ?? ["/nodes", {}];
        this.#expect(step, await this.#ask("POST", path, json), "400 invalid_request");
        return;
      }
      default:
        step satisfies never;
    }
  }

  /** The whole outline and the shortcuts, against the model. Learns the ids of what is new. */
  async checkAll(): Promise<void> {
    this.#compare(await this.#api.export(), this.model.nodes());
    const shortcuts = (await this.#api.targets()).filter(({ type }) => type === "shortcut");
    expect(new Map(shortcuts.map(({ key, name }) => [key, name]))).toEqual(
      new Map(this.model.shortcuts().map(({ key, node }) => [key, node.name])),
    );
  }

  async #ask(method: string, path: string, json?: object): Promise<Answer> {
    const answer = await this.#api.request(method, path, json === undefined ? {} : { json });
    const sent = `${method} ${path} ${JSON.stringify(json) ?? ""}`;
    this.log.push(`${sent} → ${outcomeOf(answer)} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  async #checkNode(node: ModelNode | undefined): Promise<void> {
    if (node?.id !== undefined) this.#compare([await this.#api.node(node.id)], [node]);
  }

  /** Learns where among its siblings a system node is that came back. */
  async #placeReturned(): Promise<void> {
    for (const { node, key, parent } of this.model.takeReturned()) {
      const { priority } = await this.#api.node(key);
      this.model.reorder(node, priority / 100 - 1);
      expect(node.parent).toBe(parent);
    }
  }

  #compare(answered: readonly ApiNode[], expected: readonly ModelNode[]): void {
    for (const [index, node] of expected.entries()) node.modifiedAt ??= answered[index]?.modifiedAt;
    const withoutIds = answered.map(({ id: _id, parent_id: _parent, ...rest }) => rest);
    expectSame(withoutIds, expected.map(answerOf));
    const places: unknown[] = [];
    const wanted: unknown[] = [];
    for (const [index, { id, parent_id: parent }] of answered.entries()) {
      const node = expected[index];
      if (node === undefined) continue;
      node.id ??= id;
      const isTop = node.parent === this.model.root;
      // The parent's own id may not have been seen yet.
      places.push(id, parent);
      wanted.push(node.id, isTop ? null : (node.parent?.id ?? parent));
    }
    expectSame(places, wanted);
  }

  #expect({ do: what }: Step, answer: Answer, expected: Outcome | "400 invalid_request"): void {
    const outcome = `${what} ${outcomeOf(answer)}`;
    expect(outcome).toBe(`${what} ${expected}`);
    this.outcomes.add(outcome);
  }

  /** @returns the reference for the model and as the text that a client sends */
  #choose({ what, index, form }: Pick, asParent = false): readonly [ModelReference, string] {
    const oneOf = (texts: readonly string[]) => texts[index % texts.length] ?? "";
    switch (what) {
      case "top":
        return [{ kind: "top" }, oneOf(TOP_LEVEL)];
      case "system":
        return [{ kind: "system", key: oneOf(SYSTEM) }, oneOf(SYSTEM)];
      case "relative":
        return [{ kind: "system", key: this.#dateOf(oneOf(RELATIVE)) }, oneOf(RELATIVE)];
      case "shortcut": {
        const key = oneOf(SHORTCUTS);
        return [{ kind: "shortcut", key }, form % 2 === 0 ? key : key.toUpperCase()];
      }
      case "unknown":
        return [{ kind: "unknown" }, oneOf(NOWHERE)];
      case "dead":
      case "node": {
        const nodes = (what === "dead" ? this.#dead : this.model.nodes()).filter(
          (node) => node.id !== undefined && !(asParent && isCalendarFolder(node)),
        );
        const node = nodes[index % Math.max(nodes.length, 1)];
        const text = formsOf(node?.id ?? "")[form];
        if (node === undefined || text === undefined) return [{ kind: "unknown" }, "nowhere"];
        return [{ kind: "node", node }, text];
      }
      default:
        return what satisfies never;
    }
  }

  /** The date that a relative calendar key means, in UTC and with weeks that start on Monday. */
  #dateOf(key: string): string {
    const today = new Date(this.#clock.now());
    const untilMonday = (8 - today.getUTCDay()) % 7 || 7;
    const days = key === "today" ? 0 : key === "tomorrow" ? 1 : untilMonday;
    return new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  }
}

/** What retrieve should answer, without the ids. */
function answerOf(node: ModelNode): unknown {
  return {
    name: node.name,
    note: node.note,
    priority: ((node.parent?.children.indexOf(node) ?? 0) + 1) * 100,
    completed: node.completedAt !== null,
    data: { layoutMode: node.layout },
    createdAt: node.createdAt,
    modifiedAt: node.modifiedAt,
    completedAt: node.completedAt,
  };
}
