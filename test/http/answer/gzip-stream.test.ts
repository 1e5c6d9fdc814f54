import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FairGate } from "../../../src/documents/turns/fair-gate.ts";
import { GzipStream, type InTurn } from "../../../src/http/answer/gzip-stream.ts";

const MIB = 1024 * 1024;

/** Works of streams, one at a time. */
function oneAtATime(): { readonly inTurn: InTurn; turns: number; most: number } {
  const gate = new FairGate<string>(1);
  let running = 0;
  const seen = {
    turns: 0,
    most: 0,
    inTurn: (work: () => Promise<void>) =>
      gate.pass("all", async () => {
        seen.turns += 1;
        running += 1;
        seen.most = Math.max(seen.most, running);
        await work();
        running -= 1;
      }),
  };
  return seen;
}

test("[Q25] a long text is compressed in pieces, each in a turn of its own", async () => {
  const seen = oneAtATime();
  const texts = ["a", "ü", "<"].map((letter) => `${letter} text `.repeat(MIB / 8));
  const packed = texts.map((text) => buffer(new GzipStream(seen.inTurn).end(text)));
  for (const [index, one] of (await Promise.all(packed)).entries()) {
    expect(gunzipSync(one).toString()).toBe(texts[index]);
  }
  const pieces = texts.map((text) => Math.ceil(Buffer.byteLength(text) / (64 * 1024)));
  const ends = texts.length;
  expect([seen.turns, seen.most]).toEqual([pieces.reduce((sum, each) => sum + each, ends), 1]);
});

test("[Q25] who does not read holds nobody up, and is compressed no more for", async () => {
  const seen = oneAtATime();
  const unread = new GzipStream(seen.inTurn);
  unread.on("error", () => undefined);
  // What can't be made shorter.
  for (let count = 0; count < 20; count += 1) unread.write(randomBytes(64 * 1024));
  await expect.poll(() => unread.readableLength).toBeGreaterThan(0);
  const text = "text ".repeat(100_000);
  expect(gunzipSync(await buffer(new GzipStream(seen.inTurn).end(text))).toString()).toBe(text);
  expect(unread.writableLength).toBeGreaterThan(16 * 64 * 1024);
  unread.destroy();
});

test("[Q25] one that is given up in the middle of a piece gives its turn on", async () => {
  const seen = oneAtATime();
  let begun = (): void => undefined;
  const beginning = new Promise<void>((resolve) => (begun = resolve));
  const left = new GzipStream((work) =>
    seen.inTurn(() => {
      begun();
      return work();
    }),
  );
  left.end(randomBytes(MIB));
  await beginning;
  left.destroy();
  await once(left, "close");
  expect(gunzipSync(await buffer(new GzipStream(seen.inTurn).end("x"))).toString()).toBe("x");
});
