import {
  ADDED_CHAIN,
  ADDED_MIRROR,
  addedNodes,
  addedTexts,
  type Addition,
  sumOf,
  UPKEEP,
} from "../../core/room/addition.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { NodePatch } from "../../core/node/node-patch.ts";
import type { Destination } from "../../core/tree/destinations.ts";
import type { Done, Refusal } from "../../core/refusal.ts";
import { Rehearsal } from "../../core/rehearsal.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import { countOfDrafts } from "../../core/text/name.ts";
import { excessOfName, excessOfNote, excessOfUpdatedName } from "../../core/text/text-excess.ts";
import {
  NO_MIRROR,
  NO_SUCH_NODE,
  OWN_ROOT,
  problem,
  type Problem,
  ProblemError,
} from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { excessProblem, textSizeProblem } from "../text-size.ts";
import { doStep, type EditStep, type Made, type NewItem } from "./edit-step.ts";

/** New nodes of one edit. */
export const MOST_NODES = 10_000;
/** Reserved nodes that one edit makes: each month takes as long as hundreds of other operations. */
const MOST_MADE = 40;

/**
 * Several operations that are done whole or not at all. Each is looked at behind those before, and
 * nothing is changed before all of them were.
 */
export class EditPlan {
  readonly view: ScopedOutline;
  readonly #textBytes: number;
  readonly #rehearsal: Rehearsal;
  /** One for each operation. [Q13] */
  readonly #steps: EditStep[] = [];
  #addition: Addition = { nodes: 0, bytes: 0, isUpkeep: true };

  /** @param textBytes most bytes of a name and of a note */
  constructor(view: ScopedOutline, textBytes: number) {
    this.view = view;
    this.#textBytes = textBytes;
    this.#rehearsal = new Rehearsal(view.outline);
  }

  /** A node that is there behind the operations so far. */
  node(reference: string): NodeKey | undefined {
    const { view } = this;
    const node = view.node(reference);
    // A node of the calendar that an operation makes.
    const key = node ?? view.destination(reference);
    const isNode = key !== undefined && (node !== undefined || key !== view.top);
    return isNode && this.#rehearsal.has(key) ? key : undefined;
  }

  /** Whether a node is there behind the operations so far. */
  has(key: NodeKey): boolean {
    return this.#rehearsal.has(key);
  }

  /** What a node is in then; undefined where the key does not reach that. */
  parentOf(key: NodeKey): NodeKey | undefined {
    return key === this.view.top ? undefined : this.#rehearsal.parentOf(key);
  }

  /** The node that one shows then: of a mirror its origin, undefined where the key does not reach that. */
  heldBy(key: NodeKey): NodeKey | undefined {
    const held = this.#rehearsal.heldBy(key);
    return held === this.view.outline.heldBy(key) ? this.view.heldBy(key) : held;
  }

  /** @returns why the nodes can't be made there */
  insert(to: Destination, items: readonly NewItem[]): Problem | undefined {
    const refused = this.#reach(to.parent);
    if (refused !== undefined) return refused;
    const path = [to.parent];
    for (const { key, depth } of items) {
      path.length = depth + 1;
      const parent = path.at(-1);
      if (key === undefined || parent === undefined) continue;
      this.#rehearsal.create(key, parent);
      path.push(key);
    }
    this.#steps.push({ op: "insert", to, items });
    return undefined;
  }

  /** Takes a node that is to be made into account. @returns why it can't be */
  count({ name, note, layout, isInParts }: NewItem): Problem | undefined {
    const isCode = layout === "code-block";
    const excess = isInParts ? excessOfName(name, isCode) : excessOfUpdatedName(name, isCode);
    const wrong = this.#textProblem({ name, note }) ?? excessProblem("name", excess);
    if (wrong !== undefined) return wrong;
    const count = isInParts ? countOfDrafts(name, layout) : 1;
    this.#adds(addedNodes(count, name, note ?? ""));
    return this.#countProblem();
  }

  /** @param key a free one, for the mirror. @returns why there can't be a mirror of the node there */
  mirror(of: NodeKey, to: Destination, key: NodeKey): Problem | undefined {
    if (this.heldBy(of) === undefined) return NO_SUCH_NODE;
    this.#adds(ADDED_MIRROR);
    this.#steps.push({ op: "mirror", of, to, key });
    const refused = problemOf(this.#rehearsal.mirror(key, of, to.parent));
    return refused ?? this.#madeProblem() ?? this.#countProblem();
  }

  /** @returns why there is no mirror to be removed */
  removeMirror(key: NodeKey): Problem | undefined {
    return this.#rehearsal.heldBy(key) === key ? NO_MIRROR : this.remove(key);
  }

  /** @returns why the node can't be changed so */
  update(shown: NodeKey, patch: NodePatch): Problem | undefined {
    const key = this.heldBy(shown);
    if (key === undefined) return NO_SUCH_NODE;
    const { name, note, base, noteBase, layout } = patch;
    const texts = { name, note, base_name: base, base_note: noteBase };
    const isCode = (layout ?? this.view.outline.shape(key)?.layout) === "code-block";
    const excess = excessProblem("name", excessOfUpdatedName(name ?? "", isCode));
    const wrong = this.#textProblem(texts) ?? excess;
    if (wrong !== undefined) return wrong;
    const added = [name ?? "", note ?? ""];
    this.#adds(added.every((text) => text === "") ? UPKEEP : addedTexts(added));
    this.#steps.push({ op: "update", key, patch });
    return undefined;
  }

  remove(key: NodeKey): Problem | undefined {
    if (key === this.view.top) return OWN_ROOT;
    this.#steps.push({ op: "delete", key });
    return problemOf(this.#rehearsal.remove(key));
  }

  move(key: NodeKey, to: Destination): Problem | undefined {
    this.#adds(UPKEEP);
    this.#steps.push({ op: "move", key, to });
    return problemOf(this.#rehearsal.move(key, to.parent)) ?? this.#madeProblem();
  }

  /**
   * Does all of it, in slices.
   * @param links of the outline: those to a node follow its name
   * @returns what each operation has made, or why there is no room; then nothing has changed
   * @throws ProblemError when an operation is refused all the same: then all of it is to be taken back
   */
  *done(links: LinkIndex): Generator<void, readonly Made[] | Problem> {
    const full = this.takeRoom();
    return full ?? (yield* this.view.outline.quota.inTaken(this.#doAll(links)));
  }

  /** Takes room for all of it. @returns why there is none */
  takeRoom(): Problem | undefined {
    const { made } = this.#rehearsal;
    const addition = [...made].reduce((sum) => sumOf(sum, ADDED_CHAIN), this.#addition);
    const full = this.view.outline.quota.take(addition, ...made);
    return full && problemOfRefusal(full);
  }

  *#doAll(links: LinkIndex): Generator<void, readonly Made[]> {
    const results: Made[] = [];
    for (const [index, step] of this.#steps.entries()) {
      const result = yield* doStep(this.view, links, step);
      if ("kind" in result) throw new ProblemError(inOperation(index, problemOfRefusal(result)));
      results.push(result);
      yield;
    }
    return results;
  }

  #reach(parent: NodeKey): Problem | undefined {
    return problemOf(this.#rehearsal.reach(parent)) ?? this.#madeProblem();
  }

  #madeProblem(): Problem | undefined {
    if (this.#rehearsal.made.size <= MOST_MADE) return undefined;
    const sentence = `At most ${MOST_MADE} days, months and years are made at once.`;
    return problem("invalid_request", sentence);
  }

  #countProblem(): Problem | undefined {
    if (this.#addition.nodes <= MOST_NODES) return undefined;
    return problem("too_large", `At most ${MOST_NODES} nodes are made at once.`);
  }

  #textProblem(texts: Parameters<typeof textSizeProblem>[0]): Problem | undefined {
    return (
      textSizeProblem(texts, this.#textBytes) ??
      excessProblem("note", excessOfNote(texts.note ?? "")) ??
      excessProblem("base_name", excessOfNote(texts.base_name ?? "")) ??
      excessProblem("base_note", excessOfNote(texts.base_note ?? ""))
    );
  }

  #adds(addition: Addition): void {
    this.#addition = sumOf(this.#addition, addition);
  }
}

/** A refusal that says which of several operations it is of. */
export function inOperation(index: number, { code, message, retryAfterMs }: Problem): Problem {
  return problem(code, `operations[${index}]: ${message}`, retryAfterMs);
}

function problemOf(result: Done | Refusal): Problem | undefined {
  if (result.kind === "ok") return undefined;
  return result.kind === "not_found" ? NO_SUCH_NODE : problemOfRefusal(result);
}
