import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { documentLimitsOf } from "../../src/limits.ts";

const MIB = 2 ** 20;

function limitsOf(environment: Readonly<Record<string, string>>, heapMib: number) {
  const read = readConfig({}, environment);
  if (read.kind === "bad") throw new Error(read.sentences.join(" "));
  const { maxMemoryBytes, maxLargeBytes, smallOutlineBytes, outline } = documentLimitsOf(
    read.config,
    heapMib * MIB,
  );
  return { maxMemoryBytes, maxLargeBytes, smallOutlineBytes, outline };
}

test("[Q61] unless they are set, the memory of outlines and of one outline follow from the heap", () => {
  expect(limitsOf({}, 512)).toEqual({
    maxMemoryBytes: 256 * MIB,
    maxLargeBytes: 192 * MIB,
    smallOutlineBytes: 4 * MIB,
    outline: { maxNodes: 1_000_000, maxBytes: 160 * MIB, maxUpkeepBytes: 176 * MIB },
  });
});

test("[Q61] what is set is what holds, but no outline may get so large that it can't be opened", () => {
  const set = { OUTLINE_MEMORY_BYTES: String(64 * MIB), OUTLINE_MAX_NODES: "7" };
  expect(limitsOf({ ...set, OUTLINE_MAX_OUTLINE_BYTES: String(MIB) }, 512)).toMatchObject({
    maxMemoryBytes: 64 * MIB,
    outline: { maxNodes: 7, maxBytes: MIB },
  });
  expect(limitsOf({ ...set, OUTLINE_MAX_OUTLINE_BYTES: String(90 * MIB) }, 512)).toMatchObject({
    outline: { maxBytes: 40 * MIB },
  });
});
