import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { answering, WebhookReceiver } from "../support/webhook-receiver.ts";
import { Cluster, type ClusterProcess } from "./cluster.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const OPTIONS = { environment: { OUTLINE_WEBHOOK_INSECURE: "true" } };

let cluster: Cluster;
beforeEach(async () => {
  cluster = await Cluster.start();
});
afterEach(() => cluster.stop());

test("[U116, P111] what an owner was killed or stopped with another process delivers, without anybody asking", async () => {
  const receiver = await WebhookReceiver.open();
  onTestFinished(() => receiver.close());
  const processes: ClusterProcess[] = [];
  for (const name of ["one", "two"]) processes.push(await cluster.newProcess(name, OPTIONS));
  const create = async (index: number): Promise<string> => {
    const process = processes[index];
    if (process === undefined) throw new Error("no process");
    const { text } = await cluster.ask(process, "nodes", { body: { name: "node" } });
    return (JSON.parse(text) as { readonly item_id: string }).item_id;
  };
  await cluster.ask(processes[0] ?? { url: "" }, "webhooks", { body: { url: receiver.url } });
  const first = await create(1);
  expect((await receiver.next()).data.changed).toEqual([first]);
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    receiver.answer = () => undefined;
    const id = await create(0);
    const lost = await receiver.next();
    expect(lost.data.changed).toEqual([id]);
    receiver.answer = answering(200);
    const owner = await cluster.ownerAmong(processes);
    processes.splice(processes.indexOf(owner), 1);
    await owner.stop(signal);
    const again = await receiver.next();
    expect([again.id, again.data.changed]).toEqual([lost.id, [id]]);
    expect(await cluster.ownerAddress()).not.toBe(owner.address);
    processes.push(await cluster.newProcess(`after ${signal}`, OPTIONS));
  }
  const last = await create(0);
  expect((await receiver.next()).data.changed).toEqual([last]);
  expect(receiver.messages).toHaveLength(6);
});
