import { MemoryLedger, type MemoryLimits } from "../../src/charges/memory-ledger.ts";

/** As the server has it when nothing is set. */
const LIMITS: MemoryLimits = { bytesPerPayer: 2 ** 26, bytesInAll: 2 ** 28 };

/** What counts the memory that a service of a test holds for its clients. */
export function newMemory(limits: Partial<MemoryLimits> = {}): MemoryLedger {
  return new MemoryLedger({ ...LIMITS, ...limits });
}
