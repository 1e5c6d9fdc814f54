import type { ServerResponse } from "node:http";
import type { MemoryLedger } from "../../charges/memory-ledger.ts";
import type { Payer } from "../../charges/payer.ts";

/** Charges an answer to a payer until it is read, or the client is gone. Given up, it breaks off. */
export function holdAnswer(
  memory: MemoryLedger,
  payer: Payer,
  response: ServerResponse,
  bytes: number,
): void {
  if (response.destroyed) return;
  const charge = memory.open(payer, () => response.destroy());
  response.once("close", () => charge.end());
  charge.set(bytes);
}
