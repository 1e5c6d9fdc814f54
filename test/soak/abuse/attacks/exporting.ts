import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { plant, treeOf } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const KEYS = 16;
/** Of a user in a minute; a long attack takes more than one. */
const MOST = 40;
const FULL = 2_000;

/** All of an outline, again and again. */
export const exporting: Abuse = {
  name: "exports",
  fault: "whole outlines are exported over and over, with several keys of a user",
  unit: "exports",
  full: FULL,
  short: 100,
  mutants: {
    "exports of a minute": {
      wrong: "whole outlines are exported as often as somebody asks",
      edits: [["if (windowMs === 0)", "if (true)"]],
    },
  },
  async prepare(site, amount) {
    await plant(site, new Tally(), treeOf(amount >= FULL ? 60_000 : 6_000));
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, KEYS);
    const keys: string[] = [];
    for (let index = 0; index < KEYS; index++) {
      const { status, text } = await caller.call("POST", "/api/v1/keys", {
        body: { name: `exporter ${index}` },
      });
      if (status === 200) keys.push((JSON.parse(text) as { readonly key: string }).key);
    }
    await inParallel(amount, KEYS, async (index) => {
      const key = keys[index % keys.length] ?? site.key;
      const { status } = await caller.call("GET", "/api/v1/nodes-export", { key });
      tally.add(`exported${status}`);
    });
    caller.close();
    return tally.counts;
  },
  harmOf(counts) {
    const exported = counts["exported200"] ?? 0;
    return exported > MOST ? `${exported} were made within a minute` : undefined;
  },
  lackOf: (counts, amount) => fewerThan(counts, "exported", amount),
};
