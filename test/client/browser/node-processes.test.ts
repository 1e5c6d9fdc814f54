import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useNodePeers } from "../support/node-peers.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();
const peers = useNodePeers();

test("two Node processes and a browser keep one outline", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const device = await stage.device(key);
  const common = { url: server.url, key };
  const first = await peers.start({ ...common, folder: "first", seed: 1 });
  const second = await peers.start({ ...common, folder: "second", seed: 2 });

  await first.create("by the first process");
  await second.create("by the second process");
  await device.focus(line);
  await device.type(" in the browser");
  await first.saved();
  await second.saved();
  await device.reaches("saved");
  const expected = ["start in the browser", "by the first process", "by the second process"];
  await expect
    .poll(async () => (await device.sketch()).toSorted(), SOON)
    .toEqual(expected.toSorted());
  const outcome = await device.sketch();
  for (const peer of [first, second]) {
    await expect.poll(() => peer.sketch(), SOON).toEqual(outcome);
    await expect.poll(() => peer.status(), SOON).toEqual({ kind: "saved" });
  }
  expect(await server.sketch(key)).toEqual(outcome);
});

test("a process that is killed comes back with what it had stored", async () => {
  const { server } = stage;
  const key = await stage.person();
  await server.create("start", undefined, key);
  const network = await server.network();
  const options = { url: network.url, key, folder: "only", seed: 3 };
  const peer = await peers.start(options);
  await expect.poll(() => peer.sketch(), SOON).toEqual(["start"]);
  await network.refuse();
  await peer.create("written offline");
  await peer.stored();
  await peer.kill();

  const again = await peers.start(options);
  expect(await again.sketch()).toEqual(["start", "written offline"]);
  expect(await again.status()).toMatchObject({ kind: "local", unsent: 1 });
  await network.pass();
  await again.saved();
  expect(await server.sketch(key)).toEqual(["start", "written offline"]);
  await again.close();
});
