import { setTimeout as delay } from "node:timers/promises";
import type { Abuse } from "../abuse.ts";
import { openTcp, requestBytes, written } from "../http-wire.ts";
import { plantText } from "../planted.ts";
import { keyOf } from "../planted.ts";
import { endlessMemory, inOneGo } from "../mutants.ts";
import { sumOf, Tally } from "../tally.ts";

const CONNECTIONS = 16;
const NAME_LENGTH = 200_000;
const HELD_MS = 3_000;

/** Each answer is large, and none is read. */
export const pipelinedRequests: Abuse = {
  name: "pipelined-requests",
  fault: "thousands of requests one behind the other on a connection that reads no answer",
  unit: "requests",
  full: 32_000,
  short: 1_600,
  mutants: {
    "one at a time": {
      wrong:
        "all requests of a connection are worked on as they come, in no turn, and what is answered is not counted",
      edits: [
        ["if (connection.current === void 0) this", "if (true) this"],
        endlessMemory,
        ...inOneGo,
      ],
    },
  },
  prepare: (site) => plantText(site, keyOf(0), "<".repeat(NAME_LENGTH)),
  async attack(site, amount) {
    const tally = new Tally();
    const request = requestBytes("GET", `/api/v1/nodes/${keyOf(0)}`, { key: site.readKey });
    const attackOne = async (): Promise<void> => {
      const socket = await openTcp(site);
      if (socket === undefined) return tally.add("notTaken");
      socket.on("close", () => tally.add("closed"));
      const count = amount / CONNECTIONS;
      const over = delay(HELD_MS);
      const sending = written(socket, request.repeat(count)).then(() => tally.add("sent", count));
      tally.add("begun", count);
      await Promise.race([sending, over]);
      await over;
      socket.destroy();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, attackOne));
    return tally.counts;
  },
  lackOf: (counts) =>
    sumOf(counts, "begun") + sumOf(counts, "notTaken") > 0 ? undefined : "nothing was sent",
};
