/**
 * The service on LevelDB as it was before a device that comes back was served from the log: each opens
 * its outline. Prints what the real server prints when it is ready.
 */
import { join } from "node:path";
import { Gauge } from "prom-client";
import { banner } from "../../../src/banner.ts";
import { startService } from "../../support/service.ts";

const { url, key, documents, metrics } = await startService({
  store: "level",
  folder: join(process.env["OUTLINE_DATA"] ?? "", "store"),
  sync: (all) => ({
    documents: {
      open: (id, isWanted) => all.open(id, isWanted),
      subscribe: (id, listener) => all.subscribe(id, listener),
      unopened: () => undefined,
    },
  }),
});
void new Gauge({
  name: "outline_documents_open",
  help: "Outlines in memory.",
  registers: [metrics],
  collect() {
    this.set(documents.stats().open);
  },
});
process.stdout.write(banner({ version: "composed", url, firstKey: { kind: "printed", key } }));
