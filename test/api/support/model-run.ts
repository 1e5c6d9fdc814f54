import { expect } from "vitest";

import { type Api, listPathOf, outcomeOf, pathOf, shortIdOf } from "./api.ts";
import { sentName } from "./model-name.ts";
import type { Pick, Step } from "./model-steps.ts";
import { type ModelNode, type ModelReference, OutlineModel } from "./outline-model.ts";
import type { ApiNode } from "./strict-answers.ts";
import type { TestClock } from "./test-clock.ts";

const SHORTCUTS = ["work", "home", "später"];
const SYSTEM = ["inbox", "2026-11-20", "2026-11-25", "2026-12-01", "2027-01-31", "2025-02-28"];
const RELATIVE = ["today", "tomorrow", "next_week"];

/** Parents of days, whose order among hand-made siblings is nobody's promise. */
const isCalendarFolder = (node: ModelNode) =>
  node.system !== undefined && node.system !== "inbox" && node.system.length !== 10;

function dateIn(days: number, clock: TestClock): string {
  return new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** Drives the service and the model side by side. */
export class ModelRun {
  readonly model = new OutlineModel();
  readonly #api: Api;
  readonly #clock: TestClock;
  readonly #dead: ModelNode[] = [];
  /** Every operation with its outcome that has come up. */
  readonly outcomes = new Set<string>();

  constructor(api: Api, clock: TestClock) {
    this.#api = api;
    this.#clock = clock;
  }

  async take(step: Step): Promise<void> {
    const now = this.#clock.seconds;
    switch (step.do) {
      case "wait":
        this.#clock.advance(step.seconds);
        return;
      case "create": {
        const [parent, parent_id] = this.#choose(step.at, true);
        const json = { ...step.fields, name: sentName(step.name), parent_id };
        const answer = await this.#api.request("POST", "/nodes", { json });
        const made = this.model.create(parent, step.name, step.fields, now);
        if (typeof made === "object") {
          made.id = (answer.body as { item_id?: string }).item_id;
          await this.#checkNode(made);
        }
        this.#expect(step.do, outcomeOf(answer), typeof made === "string" ? made : "200");
        return;
      }
      case "update": {
        const [reference, text] = this.#choose(step.at);
        const stored = this.model.findNode(reference)?.name ?? "x";
        const sent = typeof step.name === "object" ? sentName(step.name) : stored;
        const json = step.name === undefined ? step.fields : { ...step.fields, name: sent };
        const outcome = await this.#api.outcome("POST", pathOf(text), json);
        this.#expect(step.do, outcome, this.model.update(reference, step.name, step.fields, now));
        await this.#checkNode(this.model.findNode(reference));
        return;
      }
      case "move": {
        const [reference, text] = this.#choose(step.at);
        const [parent, parent_id] = this.#choose(step.to, true);
        const json = {
          parent_id,
          ...(step.position === undefined ? {} : { position: step.position }),
        };
        const outcome = await this.#api.outcome("POST", `${pathOf(text)}/move`, json);
        this.#expect(step.do, outcome, this.model.move(reference, parent, step.position, now));
        await this.#checkNode(this.model.findNode(reference));
        return;
      }
      case "complete":
      case "uncomplete": {
        const [reference, text] = this.#choose(step.at);
        const outcome = await this.#api.outcome("POST", `${pathOf(text)}/${step.do}`);
        const isCompletion = step.do === "complete";
        this.#expect(step.do, outcome, this.model.complete(reference, isCompletion, now));
        await this.#checkNode(this.model.findNode(reference));
        return;
      }
      case "remove": {
        const [reference, text] = this.#choose(step.at);
        const node = this.model.findNode(reference);
        const gone = node === undefined ? [] : [node, ...this.model.nodes(node)];
        const outcome = await this.#api.outcome("DELETE", pathOf(text));
        this.#expect(step.do, outcome, this.model.remove(reference));
        // A reserved key comes back to life with its id: dead are only ordinary nodes.
        this.#dead.push(
          ...gone.filter(({ id, system }) => id !== undefined && system === undefined),
        );
        return;
      }
      case "retrieve": {
        const [reference, text] = this.#choose(step.at);
        const node = this.model.findNode(reference);
        const outcome = await this.#api.outcome("GET", pathOf(text));
        this.#expect(step.do, outcome, node === undefined ? "404 not_found" : "200");
        await this.#checkNode(node);
        return;
      }
      case "list": {
        const [reference, text] = this.#choose(step.at);
        const node = this.model.find(reference);
        const answer = await this.#api.request("GET", listPathOf(text));
        this.#expect(step.do, outcomeOf(answer), node === undefined ? "404 not_found" : "200");
        if (node === undefined) return;
        const { nodes } = answer.body as { nodes: readonly ApiNode[] };
        this.#compare(nodes, node.children);
        return;
      }
      case "point": {
        const key = SHORTCUTS[step.key] ?? "";
        const [reference, id] = this.#choose(step.at);
        // What a shortcut of a reserved node means after that was deleted is left open.
        if (this.model.find(reference)?.system !== undefined) return;
        const outcome = await this.#api.outcome("POST", "/targets", { key, id });
        this.#expect(step.do, outcome, this.model.setShortcut(key, reference));
        return;
      }
      case "unpoint": {
        const key = SHORTCUTS[step.key] ?? "";
        const outcome = await this.#api.outcome("DELETE", `/targets/${encodeURIComponent(key)}`);
        this.#expect(step.do, outcome, this.model.removeShortcut(key));
        return;
      }
      case "refused": {
        const [, text] = this.#choose(step.at);
        const [path, json] = [
          ["/nodes", { parent_id: text }],
          ["/nodes", { parent_id: text, name: "x", layoutMode: "h9" }],
          [`${pathOf(text)}/move`, { parent_id: "today", position: "left" }],
          [pathOf(text), { name: 5, note: "changed" }],
        ][step.how] as [string, object];
        this.#expect(step.do, await this.#api.outcome("POST", path, json), "400 invalid_request");
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
    expect(new Map(shortcuts.map((target) => [target.key, target.name]))).toEqual(
      new Map(this.model.shortcuts().map(({ key, node }) => [key, node.name])),
    );
  }

  async #checkNode(node: ModelNode | undefined): Promise<void> {
    if (node?.id === undefined) return;
    this.#compare([await this.#api.node(node.id)], [node]);
  }

  #compare(answered: readonly ApiNode[], expected: readonly ModelNode[]): void {
    const withoutIds = answered.map(({ id: _id, parent_id: _parent, ...rest }) => rest);
    expect(withoutIds).toEqual(expected.map(answerOf));
    answered.forEach((answer, index) => {
      const node = expected[index];
      if (node === undefined) return;
      node.id ??= answer.id;
      expect(answer.id).toBe(node.id);
      const parent = node.parent === this.model.root ? null : node.parent?.id;
      if (parent !== undefined) expect(answer.parent_id).toBe(parent);
    });
  }

  #expect(what: Step["do"], outcome: string, expected: string): void {
    expect(`${what}: ${outcome}`).toBe(`${what}: ${expected}`);
    this.outcomes.add(`${what} ${outcome}`);
  }

  /** @returns the reference for the model and as the text that a client sends */
  #choose({ what, index, form }: Pick, asParent = false): readonly [ModelReference, string] {
    switch (what) {
      case "top":
        return [{ kind: "top" }, ["None", "root", "NONE", "none"][index % 4] ?? ""];
      case "system": {
        const key = SYSTEM[index % SYSTEM.length] ?? "";
        return [{ kind: "system", key }, key];
      }
      case "relative": {
        const text = RELATIVE[index % RELATIVE.length] ?? "";
        const untilMonday = (8 - new Date(this.#clock.now()).getUTCDay()) % 7 || 7;
        const days = { today: 0, tomorrow: 1, next_week: untilMonday }[text] ?? 0;
        return [{ kind: "system", key: dateIn(days, this.#clock) }, text];
      }
      case "shortcut": {
        const key = SHORTCUTS[index % SHORTCUTS.length] ?? "";
        return [{ kind: "shortcut", key }, form % 2 === 0 ? key : key.toUpperCase()];
      }
      case "dead":
      case "node": {
        const known = what === "dead" ? this.#dead : this.model.nodes();
        const nodes = known.filter(
          (node) => node.id !== undefined && !(asParent && isCalendarFolder(node)),
        );
        const node = nodes[index % Math.max(nodes.length, 1)];
        if (node?.id === undefined) return [{ kind: "unknown" }, "fedcba987654"];
        const { id } = node;
        const forms = [
          id,
          shortIdOf(id),
          id.toUpperCase(),
          id.replaceAll("-", ""),
          `https://x.example/#/${shortIdOf(id)}`,
          `http://x.example/y/#/${id}?z`,
        ];
        return [{ kind: "node", node }, forms[form] ?? id];
      }
      case "unknown":
        return [{ kind: "unknown" }, ["fedcba987654", "nowhere", "2026-02-30"][index % 3] ?? ""];
      default:
        return what satisfies never;
    }
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
