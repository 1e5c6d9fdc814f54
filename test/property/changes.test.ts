import type * as Y from "yjs";
import { expect, test } from "vitest";
import { type NodeKey, ROOT } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import type { Documents } from "../../src/documents/documents.ts";
import { outlineDoc } from "../documents/support/random-edits.ts";
import { workshop, type Workshop } from "../documents/support/workshop.ts";
import { runs } from "../support/runs.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import {
  type Action,
  chooseAction,
  discard,
  EVERYDAY,
  mirror,
  MIRRORED,
  type Mix,
  STORM,
} from "./actions.ts";
import { type Order, Reader } from "./following.ts";
import { Ledger } from "./ledger.ts";
import { catchUp } from "../documents/support/catch-up.ts";

const SEEDS = runs(8, 48);
/** Of these, one shows what the order is for. */
const CONTROL = [13, 60] as const;
const STEPS = 120;
const LEAP_MS = 120_000;

/** What must have happened in 24 seeds, or they have shown nothing. */
const AT_LEAST = {
  compared: 600,
  limited: 150,
  told: 60,
  moves: 300,
  deletes: 40,
  restores: 3,
  mirrors: 60,
  reopenings: 60,
  compactions: 20,
  purges: 10,
  fromDevices: 300,
};

/** The server's own edits are in transactions of several, in which nothing is put into mirrors. */
const ON_SERVER: Mix = [...EVERYDAY, [25, mirror], [3, discard]];
const ON_DEVICES: Mix = [...MIRRORED, [3, discard]];

/** A device: a replica that is edited without the server, and now and then meets it. */
class Device {
  readonly doc: Y.Doc;
  readonly outline: Outline;
  readonly author: Author;
  seen = 0;
  #unsent: Uint8Array[] = [];

  constructor(client: number, random: () => number, { id, clock }: Workshop) {
    this.doc = outlineDoc(client, { gc: true });
    this.outline = Outline.attach(this.doc, { id, now: clock.now, random, isDevice: true });
    this.author = { keyId: `key ${client}`, session: this };
    this.doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin !== this) this.#unsent.push(update);
    });
  }

  /** @param onChange called after each update that is durable */
  async meet(documents: Documents, { id }: Workshop, onChange: () => Promise<void>): Promise<void> {
    const unsent = this.#unsent;
    this.#unsent = [];
    await documents.use(id, async (document) => {
      for (const update of unsent) {
        const receipt = await document.receive(update, this.author);
        if (receipt.kind !== "applied") throw new Error(`an update is ${receipt.kind}`);
        await receipt.durable;
        await onChange();
      }
      await document.read(() => catchUp(this.doc, document, this));
      this.seen = document.head;
    });
  }
}

/** Edits one outline in all ways that there are, while readers follow it. */
async function follow(seed: number, order: Order, counts: Record<string, number>): Promise<void> {
  const random = seededRandom(seed);
  const count = (what: string, times = 1): void =>
    void (counts[what] = (counts[what] ?? 0) + times);
  const shop = workshop(
    {
      minCompactionBytes: 4_000,
      graceMs: 30_000,
      purgeQuietMs: 10_000,
      purgeEveryMs: 10_000,
      idleMs: 10 * LEAP_MS,
    },
    seed,
  );
  const { id, clock } = shop;
  let { documents } = shop;
  const ledger = new Ledger();
  const [onServer, onDevices] = seed % 3 === 0 ? [STORM, STORM] : [ON_SERVER, ON_DEVICES];
  const devices = [1000, 2000].map((client) => new Device(client + seed, random, shop));
  const service = () => ({ documents, now: clock.now });

  const act = async (): Promise<void> => {
    const context = { random, ledger, count };
    const isOnServer = random() < 0.5;
    const action: Action = chooseAction(isOnServer ? onServer : onDevices, random);
    if (isOnServer) {
      await documents.write(id, (outline) =>
        action({ outline, doc: outline.doc, seen: undefined }, context),
      );
    } else {
      const { outline, doc, seen } = oneOf(random, devices);
      action({ outline, doc, seen }, context);
      count("fromDevices");
    }
  };
  const keys = (): Promise<readonly NodeKey[]> =>
    documents.use(id, (document) => document.read((outline) => [...outline.keysInOrder()]));

  const known = (): Promise<number> =>
    documents.use(id, (document) => document.read(({ tree }) => tree.knownCount));

  await documents.write(id, (outline) => {
    for (let index = 0; index < 6; index++) {
      const made = outline.create({ parent: ROOT, position: "bottom", name: `n${index}` });
      if (made.kind === "created") ledger.created(made.key);
    }
  });
  const first = await keys();
  const limited = new Reader(id, order, oneOf(random, first));
  const rooted = new Reader(id, order, undefined, oneOf(random, first));
  const readers = [new Reader(id, order), limited, rooted];
  for (const reader of readers) await reader.begin(service());

  // What a limited key may ever be told: what was in its part after any change.
  const seen = new Set<string>();
  const look = async (): Promise<void> => {
    for (const line of (await limited.exported(service())) ?? []) {
      const { id: shown } = JSON.parse(line) as { readonly id?: string };
      if (shown !== undefined) seen.add(shown);
    }
  };
  await look();

  for (let step = 0; step < STEPS; step++) {
    await act();
    await look();
    if (random() < 0.25) await oneOf(random, devices).meet(documents, shop, look);
    if (random() < 0.05) {
      // Nothing may be under way in what is closed.
      await documents.close();
      documents = shop.againFaulty();
      count("reopenings");
    }
    if (random() < 0.05) {
      const before = await known();
      await clock.leap(LEAP_MS, 10_000);
      if ((await known()) < before) count("purges");
    }
    for (const reader of readers) {
      if (random() < 0.4) continue;
      const pages = random() < 0.5 ? 1 : Infinity;
      let read = "more";
      for (let page = 0; read === "more" && page < pages; page++) {
        read = await reader.readOn(service(), 1 + integerBelow(random, 8));
      }
      if (read !== "whole") continue;
      expect(reader.lines).toEqual(await reader.exported(service()));
      count("compared");
      if (reader !== readers[0]) count("limited");
    }
  }
  expect([...limited.told].filter((node) => !seen.has(node))).toEqual([]);
  count("told", limited.told.size);
  count("compactions", shop.log.snapshots.length);
  await documents.close();
}

async function followAll(
  order: Order,
  [first, last]: readonly [number, number],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let seed = first; seed <= last; seed++) {
    try {
      await follow(seed, order, counts);
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
  return counts;
}

test("[U80, U81, U82, U83, U85, U91] a copy that is kept by changes alone equals the export, whatever happens", async () => {
  const counts = await followAll("as told", [1, SEEDS]);
  const tooRare = Object.entries(AT_LEAST).filter(
    ([what, times]) => (counts[what] ?? 0) < Math.floor((times * SEEDS) / 24),
  );
  expect(tooRare.map(([what]) => [what, counts[what] ?? 0])).toEqual([]);
}, 240_000);

test("[U81] whoever removes before taking in what has changed loses what was moved out", async () => {
  await expect(followAll("removals first", CONTROL)).rejects.toThrow(/seed/);
}, 240_000);
