import { expect, test } from "vitest";
import type { NodeKey } from "../../src/core/node-key.ts";
import { ServedNames } from "../../src/http/served-names.ts";

/** Keys of many users, but for those that say another one's. */
const key = (keyId: string, user = keyId) => ({ keyId, user });

const nodeKey = (index: number): NodeKey => `a${index.toString(16).padStart(11, "0")}` as NodeKey;

test("[E37] what a key was served last is remembered for that key alone", () => {
  const names = new ServedNames(() => 0);
  names.remember(key("one"), nodeKey(1), "old");
  names.remember(key("one"), nodeKey(1), "new");
  names.remember(key("two"), nodeKey(1), "other");
  expect(names.get(key("one"), nodeKey(1))?.name).toBe("new");
  expect(names.get(key("two"), nodeKey(1))?.name).toBe("other");
  expect(names.get(key("one"), nodeKey(2))).toBe(undefined);
  expect(names.get(key("three"), nodeKey(1))).toBe(undefined);
});

test("[E37] a name that was written is one that was served once it was", () => {
  const names = new ServedNames(() => 0);
  names.remember(key("key"), nodeKey(1), "name", false);
  expect(names.get(key("key"), nodeKey(1))).toMatchObject({ name: "name", isServed: false });
  names.remember(key("key"), nodeKey(1), "name");
  expect(names.get(key("key"), nodeKey(1))).toMatchObject({ name: "name", isServed: true });
});

test("[E37] the names used last are kept when there are too many", () => {
  const names = new ServedNames(() => 0);
  for (let index = 0; index < 20_000; index += 1)
    names.remember(key("key"), nodeKey(index), "name");
  const kept = Array.from(
    { length: 20_000 },
    (_, index) => names.get(key("key"), nodeKey(index))?.name,
  );
  expect(kept.at(-1)).toBe("name");
  expect(kept.indexOf("name")).toBeGreaterThan(20_000 - 2 * 4096 - 1);
  expect(kept.slice(-4000).every((name) => name === "name")).toBe(true);
});

test("[E37] a name that is too long to keep leaves no older one behind", () => {
  const names = new ServedNames(() => 0);
  names.remember(key("key"), nodeKey(1), "old");
  for (let index = 2; index < 4100; index += 1) names.remember(key("key"), nodeKey(index), "x");
  expect(names.get(key("key"), nodeKey(1))?.name).toBe("old");
  names.remember(key("key"), nodeKey(1), "y".repeat(100_000));
  expect(names.get(key("key"), nodeKey(1))).toBe(undefined);
});

test("[E37] the keys used last are kept when all names together are too many", () => {
  const names = new ServedNames(() => 0);
  const name = "z".repeat(50_000);
  for (let each = 0; each < 400; each += 1) {
    for (let index = 0; index < 4; index += 1)
      names.remember(key(`key ${each}`), nodeKey(index), name);
    names.remember(key("busy"), nodeKey(1), `${each}`);
  }
  const kept = Array.from(
    { length: 400 },
    (_, each) => names.get(key(`key ${each}`), nodeKey(0))?.name,
  );
  const first = kept.indexOf(name);
  expect(first).toBeGreaterThan(200);
  expect(first).toBeLessThan(300);
  expect(kept.slice(first).every((one) => one === name)).toBe(true);
  expect(names.get(key("busy"), nodeKey(1))?.name).toBe("399");
});

test("[E37] what was served more than ten minutes ago is known no more", () => {
  let now = 0;
  const names = new ServedNames(() => now);
  names.remember(key("key"), nodeKey(1), "once");
  names.remember(key("key"), nodeKey(2), "again");
  now += 9 * 60_000;
  names.remember(key("key"), nodeKey(2), "again");
  const known = () => [1, 2].map((index) => names.get(key("key"), nodeKey(index))?.name);
  expect(known()).toEqual(["once", "again"]);
  now += 2 * 60_000;
  expect(known()).toEqual([undefined, "again"]);
});

test("[E37] of keys that are used no more nothing stays", () => {
  let now = 0;
  const names = new ServedNames(() => now);
  for (let each = 0; each < 100; each++) names.remember(key(`key ${each}`), nodeKey(1), "a name");
  expect(names.size).toBe(100);
  now = 11 * 60_000;
  for (let count = 0; count < 101; count++)
    names.remember(key("a new key"), nodeKey(1), `name ${count}`);
  expect(names.size).toBe(1);
  expect(names.get(key("a new key"), nodeKey(1))?.name).toBe("name 100");
});

test("[Q16] the keys of one user push out no other's names, however many they are", () => {
  const names = new ServedNames(() => 0);
  names.remember(key("other"), nodeKey(1), "kept");
  const name = "z".repeat(50_000);
  for (let each = 0; each < 1000; each += 1) {
    names.remember(key(`key ${each}`, "greedy"), nodeKey(1), name);
  }
  expect(names.get(key("other"), nodeKey(1))?.name).toBe("kept");
  const kept = Array.from({ length: 1000 }, (_, each) => names.get(key(`key ${each}`), nodeKey(1)));
  // 8 Mi characters of it.
  expect(kept.filter((one) => one !== undefined).length).toBe(167);
  expect(kept.at(-1)?.name).toBe(name);
});
