import * as Y from "yjs";
import { additionOf } from "../../core/room/addition.ts";
import type { Deletions } from "../../core/merge/deleted-characters.ts";
import type { OutlineFull } from "../../core/room/outline-full.ts";
import type { StrayText } from "../../core/updates/stray-texts.ts";
import {
  inspectInSteps,
  type Inspection,
  type UpdateRefusal,
} from "../../core/updates/update-guard.ts";
import {
  encodePlan,
  encodePlanInParts,
  isEmptyPlan,
  isLargePlan,
  type UpdatePlan,
} from "../../core/updates/update-plan.ts";
import type { Author } from "./author.ts";
import type { DocumentPorts } from "./document-ports.ts";
import { FairQueue } from "../turns/fair-queue.ts";
import type { LiveReplica } from "./live-replica.ts";
import type { ClientBinding, Seq } from "../log/outline-log.ts";
import { runInSlices, runSlice } from "../turns/slices.ts";
import { ThrownAwayError, UnavailableError } from "../log/unavailable-error.ts";
import { clockOf } from "../../core/yjs/struct-store.ts";

/** The origin of transactions with what came from outside. */
const RECEIVE_ORIGIN = Symbol("receive");

/** A part of a large update has a struct for so many clients at least: each makes a transaction dearer. */
const CLIENTS_PER_STRUCT = 32;

/** What came of an update from outside. */
export type Receipt =
  /**
   * Resolves with the log's head when it is durable, and all that was visible when it was applied.
   * Rejects with UnavailableError when that can't be; then the listeners are told that all is lost.
   */
  | { readonly kind: "applied"; readonly durable: Promise<Seq> }
  /** It builds on what is not here: nothing was applied. */
  | { readonly kind: "missing" }
  /**
   * Nothing was applied. `foreign_client`: it writes under an id that is not the author's to use.
   * `read_only`: the author may not write, or no longer.
   */
  | {
      readonly kind: "refused";
      readonly reason: UpdateRefusal | "foreign_client" | "read_only";
    }
  /** Nothing was applied: there is no room for it. It may be sent again when there is. */
  | OutlineFull;

type Refused = Exclude<Receipt, { kind: "applied" }>;

/** What is to be applied, and who is bound by it. */
interface Admitted {
  readonly kind: "admitted";
  readonly plan: UpdatePlan;
  readonly whole: Uint8Array | undefined;
  readonly deletions: Deletions;
  /** The client ids that it writes under. */
  readonly clients: readonly number[];
  /** The first update that its author had not seen; infinity when that is not known. */
  readonly unseen: number;
  readonly bindings: readonly ClientBinding[];
  readonly strayTexts: readonly StrayText[];
  /** Characters and values that a restored backup lacked. */
  readonly broughtBack: number;
}

interface Waiting {
  readonly update: Uint8Array;
  readonly author: Author;
  /** What the author had when it was made; undefined when that is not known. */
  readonly had: ReadonlyMap<number, number> | undefined;
  readonly answer: (receipt: Receipt) => void;
}

/**
 * The updates from outside on their way into one replica: those of each session in the order in which
 * they came, the sessions in turn. Each is judged before anything is touched, and applied whole or not
 * at all.
 *
 * The small ones of one turn of the event loop share a transaction: what a transaction costs, in
 * memory, in the log and for everybody who is told, is most of what a keystroke costs. Each is judged
 * by what those before it have made of the document.
 *
 * A large one is judged and applied in slices, in which the document is its alone: later updates,
 * reads and writes wait. So what was judged is still true when it is applied, and nobody sees a part
 * of it; it goes to the log in one append.
 */
export class ReceivedUpdates {
  readonly #live: LiveReplica;
  readonly #ports: DocumentPorts;
  /** Of connections that are not read on while it is much [Q40]. */
  readonly #waiting = new FairQueue<object, Waiting>();
  #isRunning = false;
  /** Of the update that was taken last. */
  #lastBytes = 0;
  readonly #size = (): number => this.#lastBytes;

  constructor(live: LiveReplica, ports: DocumentPorts) {
    this.#live = live;
    this.#ports = ports;
  }

  /** Never rejects. */
  add(update: Uint8Array, author: Author, had?: ReadonlyMap<number, number>): Promise<Receipt> {
    return new Promise((answer) => {
      this.#waiting.add(author.session, { update, author, had, answer });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (!this.#waiting.isEmpty) {
        const large = await this.#live.takeQuietTurn("update", () => this.#takeSmall(), this.#size);
        if (large !== undefined) {
          large.answer(await this.#takeLarge(large));
          this.#waiting.take();
        }
      }
    } catch (error) {
      for (const { answer } of this.#waiting.takeAll()) answer(applied(Promise.reject(error)));
    }
    this.#isRunning = false;
  }

  /** Takes what waits, as far as there is time for it and up to a large update, which is the answer. */
  #takeSmall(): Waiting | undefined {
    for (;;) {
      const end = this.#takeTogether();
      if (end === "large") return this.#waiting.first;
      if (end === "done" || this.#ports.turns.update.isOver) return undefined;
    }
  }

  /** The same in one transaction. */
  #takeTogether(): RoundEnd {
    const round: Round = { taken: [], conflicting: [], authors: new Set(), bindings: [] };
    try {
      const end = this.#live.change(() =>
        Y.transact(this.#live.state.doc, () => this.#takeRound(round), RECEIVE_ORIGIN, false),
      );
      const [author, ...others] = round.authors;
      const durable = this.#live.commit(others.length === 0 ? author : undefined, round.bindings);
      for (const { answer } of round.taken) answer(applied(durable));
      for (const { waiting, refusal } of round.conflicting) {
        const refuse = (): void => waiting.answer(refusal);
        durable.then(refuse, () => waiting.answer(applied(durable)));
      }
      return end;
    } catch (error) {
      if (error instanceof Unappliable) this.#waiting.take()?.answer(REFUSED_FOR_DEFECT);
      if (!(error instanceof UnavailableError)) this.#onDefect(error);
      // What was applied before is gone with the replica.
      const loss = error instanceof UnavailableError ? error : new ThrownAwayError();
      const { taken, conflicting } = round;
      for (const { answer } of [...taken, ...conflicting.map(({ waiting }) => waiting)]) {
        answer(applied(Promise.reject(loss)));
      }
      throw loss;
    }
  }

  #takeRound(round: Round): RoundEnd {
    const { limits } = this.#ports;
    const { update: turn } = this.#ports.turns;
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      this.#lastBytes = next.update.byteLength;
      const judging = inspectInSteps(this.#live.state.doc, next.update, limits.update);
      const judged = runSlice(judging, turn);
      if (judged.done !== true || this.#isLarge(judged.value)) return "large";
      const inspection = judged.value;
      const admission = this.#admit(inspection, next);
      if (admission.kind === "admitted") {
        const isNew = !isEmptyPlan(admission.plan);
        const full = isNew ? this.#takeRoom(admission) : undefined;
        if (full !== undefined) next.answer(full);
        else {
          if (isNew) this.#applyIn(round, admission, next.author);
          round.taken.push(next);
        }
      } else if (isAboutIds(admission)) {
        round.conflicting.push({ waiting: next, refusal: admission });
      } else {
        next.answer(admission);
      }
      this.#waiting.take();
      if (turn.isOver) break;
    }
    return "done";
  }

  #applyIn(round: Round, admitted: Admitted, author: Author): void {
    const { plan, whole, bindings } = admitted;
    this.#note(admitted);
    round.bindings.push(...bindings);
    round.authors.add(author);
    this.#apply(whole ?? encodePlan(plan));
    this.#tellBroughtBack(admitted);
  }

  /** What is to be known of an update before it is applied. */
  #note({ bindings, strayTexts, deletions, clients, unseen }: Admitted): void {
    const { ids, repair } = this.#live;
    ids.bind(bindings);
    // The repair of the change keeps it.
    for (const { client, text } of strayTexts) repair.noteStrayText(`client ${client}`, text);
    repair.noteDeletions(deletions);
    if (unseen < Number.POSITIVE_INFINITY) repair.noteUnseen(clients, unseen);
  }

  #isLarge(inspection: Inspection): boolean {
    const { maxStructsAtOnce } = this.#ports.limits;
    return (
      inspection.kind === "ok" &&
      isLargePlan(inspection.plan, maxStructsAtOnce, this.#live.state.doc)
    );
  }

  async #takeLarge(waiting: Waiting): Promise<Receipt> {
    const { update, author } = waiting;
    const { limits } = this.#ports;
    const { update: turn } = this.#ports.turns;
    const size = (): number => update.byteLength;
    try {
      const take = async (): Promise<Refused | undefined> => {
        const judging = inspectInSteps(this.#live.state.doc, update, limits.update);
        const admission = this.#admit(await runInSlices(judging, turn, { size }), waiting);
        if (admission.kind !== "admitted") return admission;
        const full = this.#takeRoom(admission);
        if (full !== undefined) return full;
        this.#note(admission);
        await runInSlices(this.#applyInParts(admission, author), turn, { size });
        this.#tellBroughtBack(admission);
        return undefined;
      };
      const refusal = await this.#live.whenQuiet(() => this.#live.exclusively(take));
      return refusal ?? applied(Promise.resolve(this.#live.queue.head));
    } catch (error) {
      if (!(error instanceof Unappliable)) return applied(Promise.reject(error));
      this.#onDefect(error);
      return REFUSED_FOR_DEFECT;
    }
  }

  #tellBroughtBack({ broughtBack }: Admitted): void {
    if (broughtBack === 0) return;
    this.#ports.events.onBroughtBack?.(this.#live.outline.id, broughtBack);
    this.#live.lost.tell();
  }

  /** The author's right to what is new in an update. */
  #admit(inspection: Inspection, { author, had }: Waiting): Admitted | Refused {
    if (author.mayWrite?.() === false) return { kind: "refused", reason: "read_only" };
    if (inspection.kind !== "ok") return inspection;
    const { clients, plan, whole, recordsOf, displacesNode, strayTexts } = inspection;
    if (displacesNode && author.writesAnew === true) return { kind: "refused", reason: "conflict" };
    if (!recordsOf.every((client) => this.#live.ids.isOfEarlierHistory(client))) {
      return { kind: "refused", reason: "not_allowed" };
    }
    const bindings = this.#live.ids.authorise(inspection, author);
    if (bindings === "foreign") return { kind: "refused", reason: "foreign_client" };
    if ("kind" in bindings) return bindings;
    const unseen =
      had === undefined ? Number.POSITIVE_INFINITY : this.#live.repair.firstUnseenBy(had);
    const deletions = {
      author: clients.length === 1 ? clients[0]?.client : undefined,
      fresh: plan.deletes,
      again: inspection.deletedAgain,
      // Only who keeps what is known apart sends none but the own deletions.
      ownSince: author.writesAnew === true ? 0 : unseen,
    };
    const broughtBack = this.#live.lost.broughtBack(clients);
    return {
      kind: "admitted",
      plan,
      whole,
      deletions,
      clients: clients.map(({ client }) => client),
      unseen,
      bindings,
      broughtBack,
      strayTexts,
    };
  }

  #takeRoom({ plan }: Admitted): OutlineFull | undefined {
    const { doc } = this.#live.state;
    return this.#live.outline.quota.take(additionOf(plan, (client) => clockOf(doc, client) > 0));
  }

  *#applyInParts({ plan, bindings }: Admitted, author: Author): Generator<void, void> {
    let rest = bindings;
    for (const part of encodePlanInParts(plan, this.#structsOfPart(), this.#live.state.doc)) {
      this.#live.changePart(() => this.#apply(part));
      void this.#live.commit(author, rest);
      rest = [];
      yield;
    }
    // What a part leaves to be repaired may be as it should be after the next.
    this.#live.change(() => undefined);
    void this.#live.commit(undefined);
  }

  /** More where so many clients have written that a transaction costs more than what it applies. */
  #structsOfPart(): number {
    const { maxStructsAtOnce } = this.#ports.limits;
    const worthIt = Math.ceil(this.#live.state.size.clients / CLIENTS_PER_STRUCT);
    return Math.max(maxStructsAtOnce, worthIt);
  }

  #apply(update: Uint8Array): void {
    try {
      this.#live.state.apply(update, RECEIVE_ORIGIN);
    } catch (cause) {
      throw new Unappliable("an update that the guard let through can't be applied", { cause });
    }
  }

  #onDefect(error: unknown): void {
    this.#ports.events.onDefect?.(error);
    this.#live.discard("error");
  }
}

const REFUSED_FOR_DEFECT: Refused = { kind: "refused", reason: "malformed" };

/** Why no more came into a transaction: it was all, or time is up; what comes next is large. */
type RoundEnd = "done" | "large";

/** Updates of one transaction. */
interface Round {
  /** [Q2] */
  readonly taken: Waiting[];
  /**
   * Whose authors write them anew beside what is durable: they are told when all is by which these were
   * judged, or it would be there twice. [Q2]
   */
  readonly conflicting: { readonly waiting: Waiting; readonly refusal: Refused }[];
  /** Of what was new. [Q2] */
  readonly authors: Set<Author>;
  /** Of what was new. [Q2] */
  readonly bindings: ClientBinding[];
}

/** Whether the author sends all that it has then, or writes it anew. */
function isAboutIds(refusal: Refused): boolean {
  if (refusal.kind !== "refused") return refusal.kind === "missing";
  return refusal.reason === "conflict" || refusal.reason === "foreign_client";
}

/** A defect of the guard. */
class Unappliable extends Error {
  override readonly name = "Unappliable";
}

/** A receipt of what was applied; rejected when it is lost. */
export function applied(durable: Promise<Seq>): Receipt {
  // Not everybody waits for it.
  durable.catch(() => undefined);
  return { kind: "applied", durable };
}
