import { Socket } from "node:net";
import { afterEach, test, vi } from "vitest";
import { TcpProxy } from "../../../support/tcp-proxy.ts";
import { ReplicaLab, untilNames } from "./lab.ts";

const MINUTE_MS = 60_000;

let lab: ReplicaLab;
let network: TcpProxy;

afterEach(async () => {
  vi.restoreAllMocks();
  await lab.close();
  await network.stop();
});

test("[L5] a program that only reads notices that the line is gone", async () => {
  lab = await ReplicaLab.start();
  network = await TcpProxy.start(Number(new URL(lab.service.url).port));
  // oxlint-disable-next-line typescript/unbound-method -- called with the socket that it is of
  const { setTimeout } = Socket.prototype;
  // A minute of silence passes in half a second.
  vi.spyOn(Socket.prototype, "setTimeout").mockImplementation(function (this: Socket, ms, onEnd) {
    return setTimeout.call(this, ms === MINUTE_MS ? 500 : ms, onEnd);
  });
  const replica = await lab.open({ url: network.url });
  await replica.caughtUp();
  network.strand();
  await lab.post("written since");
  await untilNames(replica, ["written since"]);
});
