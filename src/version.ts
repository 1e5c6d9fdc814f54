import { readFileSync } from "node:fs";
import { z } from "zod";

const PackageSchema = z.object({ version: z.string() });

/** Of the package that this file is in, whether it runs as source or as built. */
export const VERSION: string = PackageSchema.parse(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")),
).version;
