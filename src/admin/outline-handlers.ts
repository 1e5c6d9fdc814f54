import type { Addition } from "../core/room/addition.ts";
import { sentenceOfFull } from "../core/room/outline-full.ts";
import type { Outline } from "../core/outline.ts";
import type { NodeKey, OutlineId } from "../core/node-key.ts";
import { Planter } from "../core/calendar/planter.ts";
import { findDestination } from "../core/reference.ts";
import { StoreError } from "../documents/log/outline-log.ts";
import { ThrownAwayError, UnavailableError } from "../documents/log/unavailable-error.ts";
import type { OutlineEntry } from "../formats/outline-entry.ts";
import { originsIn } from "../formats/origins-in.ts";
import { seedlingOfEntry } from "../formats/seedling-of-entry.ts";
import { noSuchUser, userNamed } from "./account-handlers.ts";
import { AddedEntries } from "./added-entries.ts";
import type { Outcome } from "./admin-channel.ts";
import { type AdminParts, DONE, type Handlers, refused } from "./operation-handlers.ts";
import { referenceIn } from "./reference-in.ts";

/** After so many nodes, about a millisecond, others may have their turn. */
const SLICE_NODES = 25;

/** Outlines: what goes in and what comes out. */
export function outlineHandlers(
  parts: AdminParts,
): Handlers<"import" | "state" | "outlines" | "stored"> {
  const { accounts, documents, log, now } = parts;
  return {
    async import({ user, parent }, { input = [], onItem, onProgress }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      const gathered = await gather(input, parts.maxImportNodes);
      if (gathered.kind === "refused") return gathered;
      const { entries, added } = gathered;
      await parts.bringHere(known.outline);
      const importing = documents.use(known.outline, (document) =>
        document.bulk(function* (outline): Generator<void, Outcome> {
          const place = findDestination(outline, referenceIn(outline, parent ?? "", now));
          if (place === undefined) return refused(`There is no node "${parent}".`);
          const full = outline.quota.take(added);
          if (full !== undefined) return refused(sentenceOfFull(full));
          yield* addEntries(outline, place, entries, (done) =>
            onProgress?.({ done, total: entries.length }),
          );
          return DONE;
        }),
      );
      const outcome = await importing.catch((error: unknown) => {
        if (!(error instanceof UnavailableError)) throw error;
        if (!(error instanceof ThrownAwayError)) {
          return refused(
            `${error.sentence} It may have been imported: look before you do it again.`,
          );
        }
        const why = `The outline of "${user}" was thrown away meanwhile, as when a user is removed.`;
        return refused(`${why} Nothing was imported.`);
      });
      if (outcome.kind === "done") await onItem?.({ nodes: entries.length });
      return outcome;
    },

    async state({ user }, { onItem }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      await onItem?.({ outline: known.outline });
      for await (const update of documents.stored(known.outline)) await onItem?.({ update });
      return DONE;
    },

    async outlines(_params, { onItem }) {
      const owners = new Map<OutlineId, string>();
      for (const { id, outline } of await accounts.listUsers()) owners.set(outline, id);
      for await (const outline of log.outlines()) {
        await onItem?.({ outline, user: owners.get(outline) ?? null });
        owners.delete(outline);
      }
      for (const [outline, user] of owners) await onItem?.({ outline, user });
      return DONE;
    },

    async stored({ outline }, { onItem }) {
      const loaded = await loadOf(parts, outline);
      if (loaded.kind === "refused") return loaded;
      const { snapshot, updates, lost } = loaded.stored;
      for (const chunk of snapshot?.chunks ?? []) await onItem?.({ chunk });
      if (snapshot !== undefined) {
        await onItem?.({ stateVector: snapshot.stateVector, seq: snapshot.seq });
      }
      for (const { seq, update } of updates) await onItem?.({ update, seq });
      if (lost !== undefined && lost.size > 0) await onItem?.({ lost: [...lost] });
      return DONE;
    },
  };
}

/** Adds them at the bottom of `parent`, in slices. @param onProgress may throw, which gives it up */
function* addEntries(
  outline: Outline,
  parent: NodeKey,
  entries: readonly OutlineEntry[],
  onProgress: (done: number) => void,
): Generator<void, void> {
  const planter = new Planter(outline, { parent, position: "bottom" });
  const origins = originsIn(outline, entries);
  for (const [index, entry] of entries.entries()) {
    if (index % SLICE_NODES === 0) {
      onProgress(index);
      yield;
    }
    planter.add(yield* seedlingOfEntry(outline, entry, origins));
  }
  yield* planter.finish();
}

type Gathered =
  | {
      readonly kind: "entries";
      readonly entries: readonly OutlineEntry[];
      readonly added: Addition;
    }
  | Extract<Outcome, { kind: "refused" }>;

/** The whole input, so that nothing is begun before all of it is known to be good. */
async function gather(
  input: AsyncIterable<OutlineEntry> | Iterable<OutlineEntry>,
  maxNodes: number,
): Promise<Gathered> {
  const entries: OutlineEntry[] = [];
  const added = new AddedEntries();
  let depth = -1;
  for await (const entry of input) {
    if (entries.length >= maxNodes) {
      return { kind: "refused", reason: `An import adds at most ${maxNodes} nodes.` };
    }
    if (entry.depth > depth + 1) throw new Error("an entry without a parent");
    depth = entry.depth;
    entries.push(entry);
    added.add(entry);
  }
  return { kind: "entries", entries, added: added.sum };
}

async function loadOf({ log }: AdminParts, outline: OutlineId) {
  try {
    return { kind: "stored", stored: await log.load(outline) } as const;
  } catch (error) {
    // The finding itself, not a failure of the operation that looks for it.
    const isFinding = error instanceof StoreError && error.code === "outline_corrupt";
    if (!isFinding) throw error;
    return { kind: "refused", reason: error.message } as const;
  }
}
