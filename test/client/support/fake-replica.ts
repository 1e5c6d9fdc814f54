import * as Y from "yjs";
import { newOutlineId } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import type { DeviceRecords } from "../../../client/lib/device-records.ts";
import { LocalEdits } from "../../../client/lib/edit/local-edits.ts";
import { UndoHistory } from "../../../client/lib/edit/undo-history.ts";
import type { Replica } from "../../../client/lib/replica.ts";
import { seededRandom } from "../../support/seeded-random.ts";

/** Records of a device that only a test has. */
export class MemoryRecords implements DeviceRecords {
  readonly values = new Map<string, unknown>();

  read(name: string): Promise<unknown> {
    return Promise.resolve(this.values.get(name));
  }

  write(name: string, value: unknown): void {
    this.values.set(name, value);
  }
}

/** A replica whose records can be looked at. */
export interface MemoryReplica extends Replica {
  readonly records: MemoryRecords;
}

/** A replica without a store and a server: the real outline, edits and history. */
export function fakeReplica(now: () => number, seed = 7): MemoryReplica {
  const doc = new Y.Doc();
  doc.clientID = 11;
  const random = seededRandom(seed);
  const outline = Outline.attach(doc, { id: newOutlineId(random), now, random, isDevice: true });
  const history = new UndoHistory({ outline, seq: () => 0, now });
  const edits = new LocalEdits({ outline, history });
  return {
    outline,
    edits,
    history,
    records: new MemoryRecords(),
    seq: 0,
    status: { kind: "saved" },
    onStatus: () => () => {},
    onReplaced: () => () => {},
    connect() {},
    stored: () => Promise.resolve(),
    saved: () => Promise.resolve(),
    caughtUp: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
