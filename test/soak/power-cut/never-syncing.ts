import { ClassicLevel } from "classic-level";
import type { OpenDatabase } from "../../../src/store/database.ts";

/** What the driver uses of a batch of LevelDB. */
interface Batch {
  write(options: { readonly sync: boolean }): Promise<void>;
}

/** Broken on purpose: a write counts as done when the system has it in its memory. */
export function neverSyncing(open: OpenDatabase): OpenDatabase {
  // The driver makes its batches itself: there is no other place at which they could be met.
  const prototype = ClassicLevel.prototype as unknown as { batch: () => Batch };
  const { batch } = prototype;
  prototype.batch = function (this: unknown) {
    const made: Batch = Reflect.apply(batch, this, []);
    const write = made.write.bind(made);
    made.write = () => write({ sync: false });
    return made;
  };
  return open;
}
