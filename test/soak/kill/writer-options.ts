import type { Random } from "../../../src/core/node-key.ts";
import type { Ledger } from "./ledger.ts";

/** Who edits a part of an outline while the server is killed, however it reaches the server. */
export interface WriterOptions {
  readonly ledger: Ledger;
  /** The API key. */
  readonly key: string;
  readonly random: Random;
  /** Is in all its texts. */
  readonly name: string;
}
