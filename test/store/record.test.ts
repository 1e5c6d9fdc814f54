import { expect, test } from "vitest";

import {
  DamagedRecordError,
  seal,
  sealCompressed,
  unseal,
  unsealCompressed,
} from "../../src/store/record.ts";

const KEY = "0000/o/0123456789ab81238abc/u/000000000001";
const payload = new TextEncoder().encode("a small update");

test("[P13] what is sealed under a key comes back, plain and compressed", async () => {
  const zeros = new Uint8Array(100_000);
  const noise = crypto.getRandomValues(new Uint8Array(50_000));
  expect(unseal(KEY, seal(KEY, payload))).toEqual(payload);
  expect(unseal(KEY, seal(KEY, new Uint8Array()))).toEqual(new Uint8Array());
  for (const each of [payload, zeros, noise, new Uint8Array()]) {
    expect(await unsealCompressed(KEY, await sealCompressed(KEY, each))).toEqual(each);
  }
  expect((await sealCompressed(KEY, zeros)).byteLength).toBeLessThan(200);
  expect((await sealCompressed(KEY, noise)).byteLength).toBe(noise.byteLength + 5);
});

test("[P13] every single flipped bit of a value is found", async () => {
  const values = [seal(KEY, payload), await sealCompressed(KEY, new Uint8Array(5000))];
  for (const value of values) {
    for (let bit = 0; bit < value.byteLength * 8; bit += 1) {
      const damaged = value.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(unsealCompressed(KEY, damaged)).rejects.toThrow(DamagedRecordError);
      expect(() => unseal(KEY, damaged)).toThrow(DamagedRecordError);
    }
  }
});

test("[P13] a value that is cut short, or of another key, is found", () => {
  const value = seal(KEY, payload);
  for (let length = 0; length < value.byteLength; length += 1) {
    expect(() => unseal(KEY, value.subarray(0, length))).toThrow(DamagedRecordError);
  }
  expect(() => unseal(KEY.replace(/1$/, "2"), value)).toThrow(DamagedRecordError);
  expect(() => unseal(KEY.replace("abc", "abd"), value)).toThrow(DamagedRecordError);
});

test("[P13] a record is as good in another generation", () => {
  const value = seal(KEY, payload);
  expect(unseal(KEY.replace(/^0000/, "000a"), value)).toEqual(payload);
});
