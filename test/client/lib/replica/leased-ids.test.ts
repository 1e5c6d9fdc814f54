import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { LevelReplicaStore } from "../../../../client/lib/node/level-replica-store.ts";
import { nodePlatform } from "../../../../client/lib/node/node-platform.ts";
import { openReplica } from "../../../../client/lib/open.ts";
import { soleTab } from "../../../../client/lib/tab-group.ts";
import { startService } from "../../../support/service.ts";
import { add, names } from "./lab.ts";

const BEFORE = fileURLToPath(new URL("../../../fixtures/leased-client-ids", import.meta.url));

test("[P46] [L32] a server and a device from before, whose id was leased, go on and lose nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "outline-"));
  await cp(BEFORE, folder, { recursive: true });
  const service = await startService({ store: "level", folder: join(folder, "server") });
  const store = await LevelReplicaStore.open(join(folder, "device"));
  const platform = nodePlatform(service.url, service.key);
  const device = await openReplica({ store, tabs: soleTab(), platform, outline: undefined });
  onTestFinished(async () => {
    await device.close();
    await service.close();
    await rm(folder, { recursive: true });
  });
  expect(names(device)).toEqual(["saved", "not yet sent"]);
  add(device, "and on");
  await device.saved();
  expect(device.outline.doc.clientID).toBe(2);
  const { body } = await service.request("GET", "/api/v1/nodes?parent_id=None");
  const { nodes } = body as { readonly nodes: readonly { readonly name: string }[] };
  expect(nodes.map(({ name }) => name)).toEqual(["saved", "not yet sent", "and on"]);
});
