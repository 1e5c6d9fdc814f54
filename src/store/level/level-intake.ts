import { recordsOfUser } from "./account-records.ts";
import { operationBytes } from "../append-bytes.ts";
import type { Operation } from "../database.ts";
import { markAsGarbage, unmark } from "./garbage.ts";
import { putHead } from "./heads.ts";
import { inParts } from "../in-parts.ts";
import { putJson } from "./json-record.ts";
import { putLostClocks } from "./lost-record.ts";
import { headerRecord, partRecords } from "./level-snapshots.ts";
import { putSealed } from "../record.ts";
import type { StoreCore } from "./store-core.ts";
import type { StoreKeys } from "../store-keys.ts";
import { nextEpoch } from "./store-meta.ts";
import type { StoreIntake, WholeOutline, WholeUser } from "../store-move.ts";

/** What is written at once. */
const COMMIT_BYTES = 1024 * 1024;

type Parts = Pick<StoreIntake, "log" | "accounts"> & { readonly newEpoch: () => string };

/** A store in LevelDB that is made what another one is. */
export class LevelIntake implements StoreIntake {
  readonly log: StoreIntake["log"];
  readonly accounts: StoreIntake["accounts"];
  readonly #core: StoreCore;
  readonly #newEpoch: () => string;

  constructor(core: StoreCore, { log, accounts, newEpoch }: Parts) {
    this.#core = core;
    this.log = log;
    this.accounts = accounts;
    this.#newEpoch = newEpoch;
  }

  /** Until the head is there all of it is garbage, which the next start removes. */
  async putOutline(whole: WholeOutline): Promise<void> {
    const { outline, loaded } = whole;
    await this.log.drop(outline);
    const { history } = this.#core;
    const { keys } = history;
    const range = keys.outline(outline);
    await this.#core.change(history, [markAsGarbage(range)]);
    await this.#write(recordsOf(keys, whole));
    await this.#core.change(history, [unmark(range), putHead(keys, outline, loaded.head)]);
  }

  async putUsers(users: readonly WholeUser[]): Promise<void> {
    const { keys } = this.#core.history;
    for (const range of keys.accounts) {
      await this.#core.read(async (view, history) => {
        for await (const page of view.keys(range)) {
          await this.#core.change(
            history,
            page.map((key) => ({ key })),
          );
        }
      });
    }
    await this.#write(users.flatMap((user) => recordsOfUser(keys, user)));
  }

  async complete(epochOrdinal: number): Promise<void> {
    const { history } = this.#core;
    const { arriving: _isCompleteNow, ...meta } = nextEpoch(history.meta, this.#newEpoch);
    await this.#core.replaceHistory(history, { ...meta, epochOrdinal }, []);
  }

  async #write(records: Iterable<Operation> | AsyncIterable<Operation>): Promise<void> {
    const { history } = this.#core;
    for await (const some of inParts(records, COMMIT_BYTES, operationBytes)) {
      await this.#core.change(history, some);
    }
  }
}

/** All but its head. */
async function* recordsOf(
  keys: StoreKeys,
  { outline, loaded, receipts }: WholeOutline,
): AsyncGenerator<Operation> {
  const { snapshot, updates, bindings, lost } = loaded;
  if (snapshot !== undefined) {
    yield* partRecords(keys, outline, snapshot);
    yield headerRecord(keys, outline, snapshot);
  }
  for (const { seq, update } of updates) {
    yield putSealed(keys.update(outline, seq), update);
  }
  for (const [client, holder] of bindings) yield putJson(keys.binding(outline, client), holder);
  for (const receipt of receipts) {
    yield putSealed(keys.receipt(outline, receipt), receipt.answer);
  }
  if (lost !== undefined) yield putLostClocks(keys, outline, lost);
}
