import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Abuse, Site } from "../abuse.ts";
import { firstOf } from "../first-of.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { countAnswers, openTcp, requestBytes } from "../http-wire.ts";
import { keyOf, plantText } from "../planted.ts";
import { sumOf, Tally } from "../tally.ts";

const FULL = 400;
/** Made with each other: those that are have ten streams together. */
const KEYS = 12;
const STREAMS = 10;
/** Each character is four bytes of an event. */
const LONG_NAME = "<".repeat(2 ** 20 - 1);
/** 40 MB for each stream: more than all buffers on the way hold. */
const NODES = 10;
/** Each wakes all streams. */
const WRITES = { long: 2_000, short: 60 };
const WRITERS = 4;
/** Long enough that what nobody reads would be made. */
const HELD_MS = { long: 20_000, short: 12_000 };

let before = "";

async function cursorNow(site: Site): Promise<string> {
  const caller = new HttpCaller(site, new Tally(), 1);
  const { text } = await caller.call("GET", "/api/v1/changes");
  caller.close();
  return (JSON.parse(text) as { readonly cursor: string }).cursor;
}

/** What goes on for ever, of many keys, with much to tell and nobody who reads it. */
export const eventStreams: Abuse = {
  name: "event-streams",
  fault:
    "streams of events with many keys, of 40 MB that was not told yet, which are not read, while the outline changes all the time",
  unit: "streams",
  full: FULL,
  short: 120,
  shortPeakMib: 120,
  mutants: {
    "number of streams": {
      wrong: "a user may have as many streams as they like",
      edits: [["if ((ofKey ?? 0) >= MOST_OF_KEY || (ofUser ?? 0) >= MOST_OF_USER)", "if (false)"]],
    },
    "waiting for who reads": {
      wrong: "events are made whether or not anybody reads them",
      edits: [["highWaterMark: 0", "highWaterMark: 1e9"]],
    },
  },
  async prepare(site) {
    before = await cursorNow(site);
    for (let index = 0; index < NODES; index++) await plantText(site, keyOf(index), LONG_NAME);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, WRITERS);
    const keys: string[] = [];
    for (let count = 0; count < KEYS; count++) {
      const { text } = await caller.call("POST", "/api/v1/keys", { body: { name: `k${count}` } });
      keys.push((JSON.parse(text) as { readonly key: string }).key);
    }
    const sockets: Socket[] = [];
    const path = `/api/v1/events?fields=nodes&since=${before}`;
    await inParallel(amount, WRITERS, async (index) => {
      const socket = await openTcp(site);
      if (socket === undefined) return tally.add("notTaken");
      const answers = new Tally();
      countAnswers(socket, answers);
      socket.write(requestBytes("GET", path, { key: keys[index % KEYS] ?? site.key }));
      await firstOf(socket, "data", "close");
      socket.pause();
      const isStream = answers.get("answered200") > 0;
      tally.add(isStream ? "streams" : "refused");
      if (isStream) sockets.push(socket);
      else socket.destroy();
    });
    const isLong = amount >= FULL;
    await inParallel(isLong ? WRITES.long : WRITES.short, WRITERS, (index) =>
      caller.call("POST", `/api/v1/nodes/${keyOf(index % NODES)}`, {
        body: { note: `${index}` },
      }),
    );
    await delay(isLong ? HELD_MS.long : HELD_MS.short);
    caller.close();
    for (const socket of sockets) socket.destroy();
    return tally.counts;
  },
  harmOf(counts) {
    const held = counts["streams"] ?? 0;
    return held > STREAMS ? `${held} streams were held` : undefined;
  },
  lackOf(counts, amount) {
    const met = sumOf(counts, "streams") + sumOf(counts, "refused") + sumOf(counts, "notTaken");
    if (met < amount) return `only ${met} streams were asked for`;
    if ((counts["answered404"] ?? 0) > 0) return "there was nothing to tell";
    return (counts["streams"] ?? 0) >= STREAMS ? undefined : "there were fewer streams than may be";
  },
};
