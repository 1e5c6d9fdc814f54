import { describe, expect, test } from "vitest";

import { maskedCrc32c } from "../../src/store/crc32c.ts";
import { readLevelLog } from "../../src/store/leveldb-log.ts";

const BLOCK = 32 * 1024;
const HEADER = 7;

/** A log as LevelDB writes it: records cut into fragments, none of which crosses a block. */
function logOf(records: readonly Uint8Array[]): Buffer {
  const fragments: Buffer[] = [];
  let at = 0;
  for (const record of records) {
    let rest = record;
    let isFirst = true;
    do {
      let room = BLOCK - (at % BLOCK);
      if (room < HEADER) {
        fragments.push(Buffer.alloc(room));
        at += room;
        room = BLOCK;
      }
      const payload = rest.subarray(0, room - HEADER);
      rest = rest.subarray(payload.length);
      const isLast = rest.length === 0;
      const type = isFirst ? (isLast ? 1 : 2) : isLast ? 4 : 3;
      const fragment = Buffer.concat([Buffer.alloc(HEADER), payload]);
      fragment.writeUInt16LE(payload.length, 4);
      fragment[6] = type;
      fragment.writeUInt32LE(maskedCrc32c(fragment.subarray(6)), 0);
      fragments.push(fragment);
      at += fragment.length;
      isFirst = false;
    } while (rest.length > 0);
  }
  return Buffer.concat(fragments);
}

const small = Buffer.from("a small record");
const other = Buffer.from("another one");
const large = Buffer.alloc(3 * BLOCK, "large ");
const tight = Buffer.alloc(BLOCK - HEADER - 3, "tight ");

test("[P23] the checksum is CRC-32C, masked as LevelDB masks it", () => {
  // The check value of the polynomial is e3069283.
  expect(maskedCrc32c(Buffer.from("123456789"))).toBe(
    (((0xe3069283 >>> 15) | (0xe3069283 << 17)) + 0xa282ead8) >>> 0,
  );
});

describe("a log of LevelDB", () => {
  test("[P23] is read whole when it is whole, across blocks too", () => {
    for (const records of [[], [small], [small, large, other], [tight, small], [large, large]]) {
      expect(readLevelLog(logOf(records))).toMatchObject({ records });
    }
  });

  test("[P23] with a torn end is not damaged: that was never acknowledged", () => {
    const log = logOf([small, large]);
    const before = logOf([small]).length;
    for (const length of [before + 1, before + HEADER, BLOCK + 5, log.length - 1]) {
      expect(readLevelLog(log.subarray(0, length))).toMatchObject({ records: [small] });
    }
  });

  test("[P23] with a torn end that reached the disk in another order is not damaged either", () => {
    const log = logOf([small, large]);
    // The first blocks of the last record are missing, its end is there.
    log.fill(0, logOf([small]).length, 2 * BLOCK);
    expect(readLevelLog(log)).toMatchObject({ records: [small] });
    const scrambled = logOf([small, large]);
    scrambled.fill(0x5a, logOf([small]).length, 2 * BLOCK);
    expect(readLevelLog(scrambled)).toMatchObject({ records: [small] });
  });

  test("[P23] is damaged where a record is that another one was written behind", () => {
    for (const records of [
      [small, other, small],
      [small, large, other],
      [small, other, large],
    ]) {
      const at = logOf(records.slice(0, 1)).length;
      const end = logOf(records.slice(0, 2)).length;
      for (const byte of [at, at + 4, at + 6, at + HEADER, end - 1]) {
        const log = logOf(records);
        log[byte] = (log[byte] ?? 0) ^ 0x10;
        const { records: read, unread, damagedAt } = readLevelLog(log);
        expect(damagedAt).toBeDefined();
        // What is left of the damaged one is told, and no more: what is whole is read.
        expect(read).toEqual([records[0], records[2]]);
        expect(Buffer.concat(unread).length).toBeGreaterThanOrEqual(end - at);
        expect(Buffer.concat(unread).length).toBeLessThan(end - at + HEADER);
      }
    }
  });
});
