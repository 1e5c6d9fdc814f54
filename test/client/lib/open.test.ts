import { expect, test } from "vitest";
import { open } from "../../../client/lib/node/open.ts";
import { MemoryReplicaStore } from "../../support/memory-replica/memory-replica-store.ts";

const URL = "http://127.0.0.1:9";

test.each([
  // As read from a file, and from a variable that is not set.
  [URL, "ok_abc\n"],
  [URL, ""],
  ["127.0.0.1:9", "ok_abc"],
  ["localhost:9", "ok_abc"],
])("[L14] a replica is not opened with %j and %j", async (url, key) => {
  const store = new MemoryReplicaStore();
  await expect(open({ url, key, store })).rejects.toThrow(TypeError);
});

test("[L14] one is opened with what may be a key, whether or not anybody answers", async () => {
  const replica = await open({ url: URL, key: "ok_aB-9_z", store: new MemoryReplicaStore() });
  await replica.close();
});
