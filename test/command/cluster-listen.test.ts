import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listenForOthers } from "../../src/cluster.ts";
import { readConfig } from "../../src/config.ts";
import { StartError } from "../../src/start-error.ts";

async function refusalOf(address: string): Promise<string> {
  const read = readConfig(
    {},
    { OUTLINE_STORE: "postgres://127.0.0.1/x", OUTLINE_CLUSTER_LISTEN: address },
  );
  if (read.kind === "bad") throw new Error(read.sentences.join(" "));
  const error: unknown = await listenForOthers(read.config).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(StartError);
  return error instanceof StartError ? error.message : "";
}

test("[C3, C10] where other processes can't be listened to, the sentence names the option for that", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect([await refusalOf(`127.0.0.1:${port}`), await refusalOf("192.0.2.1:6684")]).toEqual([
    `Port ${port} of 127.0.0.1 is in use by another program: choose one with OUTLINE_CLUSTER_LISTEN.`,
    "192.0.2.1 is no address of this machine: choose one with OUTLINE_CLUSTER_LISTEN.",
  ]);
});
