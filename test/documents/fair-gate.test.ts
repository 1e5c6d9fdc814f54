import { expect, test } from "vitest";
import { FairGate } from "../../src/documents/turns/fair-gate.ts";

test("[Q50] so many pass at a time, the parties in turn, also past failures", async () => {
  const gate = new FairGate<string>(2);
  const ends = new Map<string, (error?: Error) => void>();
  const started: string[] = [];
  const pass = (name: string): Promise<void> =>
    gate.pass(name.charAt(0), async () => {
      started.push(name);
      await new Promise<void>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
    });
  const all = ["a1", "a2", "a3", "a4", "b1"].map(pass);
  const states = Promise.allSettled(all);
  expect(started).toEqual(["a1", "a2"]);
  ends.get("a1")?.(new Error("one"));
  await expect(all[0]).rejects.toThrow("one");
  expect(started).toEqual(["a1", "a2", "a3"]);
  ends.get("a2")?.();
  await all[1];
  expect(started).toEqual(["a1", "a2", "a3", "b1"]);
  for (const name of ["a3", "b1"]) ends.get(name)?.();
  await Promise.all([all[2], all[4]]);
  ends.get("a4")?.();
  expect((await states).map(({ status }) => status)).toEqual([
    "rejected",
    ...Array.from({ length: 4 }, () => "fulfilled"),
  ]);
});
