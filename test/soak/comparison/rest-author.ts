import { nodeIdOf, ROOT, type NodeKey, type OutlineId } from "../../../src/core/node-key.ts";
import type { ServiceAnswer, TestService } from "../../support/service.ts";
import type { Author, AuthorOptions } from "./author.ts";
import { nameOf, nextEdit, type Edit } from "./edits.ts";
import { keyIn, type View } from "./view.ts";

/** What an edit may meet: others delete the node, or move its new parent into it. */
const EXPECTED = new Set([200, 400, 404]);

/** A program that writes over REST. */
export class RestAuthor implements Author {
  readonly name: string;
  readonly acknowledged = new Map<NodeKey, number>();
  readonly offences: string[] = [];
  readonly #options: AuthorOptions;
  readonly #service: TestService;
  readonly #outline: OutlineId;
  readonly #own = new Map<NodeKey, number>();

  constructor(service: TestService, outline: OutlineId, options: AuthorOptions) {
    this.name = options.name;
    this.#options = options;
    this.#service = service;
    this.#outline = outline;
  }

  async step(view: View, isStructural: boolean): Promise<void> {
    const { random, fence } = this.#options;
    const edit = nextEdit({ random, view, own: this.#own, isStructural, fence });
    // Before it is answered the next one is made, which may be of the same name.
    if (edit.kind === "name") this.#own.set(edit.key, edit.count);
    const answer = await this.#send(edit);
    if (!EXPECTED.has(answer.status)) this.offences.push(`${edit.kind}: ${answer.status}`);
    if (answer.status !== 200) return;
    if (edit.kind === "name") this.#acknowledge(edit.key, edit.count);
    if (edit.kind === "create") {
      const key = keyIn((answer.body as { readonly item_id: string }).item_id);
      this.#own.set(key, 0);
      this.#acknowledge(key, 0);
    }
  }

  #acknowledge(key: NodeKey, count: number): void {
    this.acknowledged.set(key, Math.max(count, this.acknowledged.get(key) ?? 0));
  }

  #send(edit: Edit): Promise<ServiceAnswer> {
    const request: TestService["request"] = (...args) => this.#service.request(...args);
    const node = "key" in edit ? `/api/v1/nodes/${this.#id(edit.key)}` : "/api/v1/nodes";
    const parent = (key: NodeKey): string | null => (key === ROOT ? null : this.#id(key));
    switch (edit.kind) {
      case "name":
        return request("POST", node, { name: nameOf(this.name, edit.count) });
      case "note":
        return request("POST", node, { note: edit.note });
      case "complete":
        return request("POST", `${node}/${edit.completed ? "complete" : "uncomplete"}`);
      case "layout":
        return request("POST", node, { layoutMode: edit.layout });
      case "create":
        return request("POST", node, {
          name: nameOf(this.name, 0),
          parent_id: parent(edit.parent),
        });
      case "move":
        return request("POST", `${node}/move`, {
          parent_id: parent(edit.parent),
          position: edit.position,
        });
      case "remove":
        return request("DELETE", node);
    }
  }

  #id(key: NodeKey): string {
    return nodeIdOf(this.#outline, key);
  }
}
