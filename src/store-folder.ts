import { join } from "node:path";
import type { Config } from "./config.ts";

/** Where the store is: the data folder itself has room for other things, such as the socket. */
export function storeFolderOf(config: Pick<Config, "data">): string {
  return join(config.data, "store");
}
