import { expect, test } from "vitest";
import { LocalDeviceRecords } from "../../../../client/lib/local-device-records.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";

test("[L32] a record that is written again while it is being stored is stored as it is then", async () => {
  const written: string[] = [];
  let onWrite = (): void => undefined;
  class WatchedStore extends MemoryReplicaStore {
    override async writeRecord(name: string, value: unknown): Promise<void> {
      onWrite();
      await super.writeRecord(name, value);
      written.push(`${name}=${String(value)}`);
    }
  }
  const store = new WatchedStore();
  const records = new LocalDeviceRecords(store);
  onWrite = () => {
    onWrite = () => undefined;
    records.write("folds", "two");
    records.write("zoom", "here");
  };
  records.write("folds", "one");
  await records.settled();
  expect(await store.readRecord("folds")).toBe("two");
  expect(await records.read("folds")).toBe("two");
  expect(written).toEqual(["folds=one", "zoom=here", "folds=two"]);
});
