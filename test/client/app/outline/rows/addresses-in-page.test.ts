import { expect, test } from "vitest";
import {
  hashOfKey,
  keyOfHash,
  queryOfHash,
} from "../../../../../client/app/outline/rows/hash-place.ts";
import { ownHash } from "../../../../../client/app/outline/rows/own-hash.ts";
import { toggledTerm } from "../../../../../client/app/search/toggled-term.ts";
import type { NodeKey } from "../../../../../src/core/node-key.ts";
import { ROOT } from "../../../../../src/core/node-key.ts";

const KEY = "0123456789ab" as NodeKey;

test("[W230] zoom and search are read from an address as they were written into it", () => {
  for (const query of ["", "milk", 'a & "b c" > #tag', "100 % + ü?q=1#/"]) {
    for (const key of [ROOT, KEY]) {
      const hash = hashOfKey(key, query);
      expect([hash, keyOfHash(hash), queryOfHash(hash)]).toEqual([hash, key, query]);
    }
  }
  expect([hashOfKey(ROOT), hashOfKey(KEY)]).toEqual(["#/", `#/${KEY}`]);
  expect(queryOfHash("#/?other=1")).toBe("");
});

test("[W233] an address leads into this page when it has its origin and path", () => {
  const here = "https://outline.test/app/#/";
  expect(ownHash(`#/${KEY}`, here)).toBe(`#/${KEY}`);
  expect(ownHash(`https://outline.test/app/#/${KEY}?q=x`, here)).toBe(`#/${KEY}?q=x`);
  for (const other of [
    `https://outline.test/#/${KEY}`,
    `http://outline.test/app/#/${KEY}`,
    `https://elsewhere.test/app/#/${KEY}`,
    "https://outline.test/app/#x",
    "https://outline.test/app/",
    "not an address #/",
  ]) {
    expect([other, ownHash(other, here)]).toEqual([other, undefined]);
  }
});

test("[W232] a tag is put behind what is looked for, and taken off when it is there", () => {
  expect(toggledTerm("", "#home")).toBe("#home");
  expect(toggledTerm("milk  #home", "@ann")).toBe("milk #home @ann");
  expect(toggledTerm("milk #Home @ann", "#home")).toBe("milk @ann");
  expect(toggledTerm("#home", "#home")).toBe("");
  expect(toggledTerm("#homework", "#home")).toBe("#homework #home");
  expect(toggledTerm("home @home", "#home")).toBe("home @home #home");
  expect(toggledTerm("#UBUNG #strasse", "#Übung")).toBe("#strasse");
  expect(toggledTerm("#strasse", "#Straße")).toBe("");
});
