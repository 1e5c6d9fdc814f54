import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { connectionLimitsOf, documentLimitsOf } from "../../src/limits.ts";

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

function connectionsWithin(
  openFiles: number | undefined,
  environment: Readonly<Record<string, string>> = {},
) {
  const read = readConfig({}, environment);
  if (read.kind === "bad") throw new Error(read.sentences.join(" "));
  return connectionLimitsOf(read.config, openFiles);
}

test("[Q10, Q56] there are no more connections than the system gives files, without those of the store", () => {
  const asSet = {
    maxHttpConnections: 5000,
    maxConnections: 10_000,
    maxConnectionsPerAddress: 1000,
  };
  expect(connectionsWithin(undefined)).toEqual(asSet);
  expect(connectionsWithin(20_000)).toEqual(asSet);
  expect(connectionsWithin(1024)).toEqual({
    maxHttpConnections: 230,
    maxConnections: 460,
    maxConnectionsPerAddress: 115,
  });
  expect(connectionsWithin(64)).toMatchObject({ maxHttpConnections: 8, maxConnections: 8 });
  const beside = {
    OUTLINE_STORE: "postgres://outline@localhost/outline",
    OUTLINE_CLUSTER_LISTEN: "127.0.0.1:1",
  };
  expect(connectionsWithin(20_000, beside)).toMatchObject({
    maxHttpConnections: 1763,
    maxConnections: 3527,
    maxConnectionsPerAddress: 882,
  });
});
