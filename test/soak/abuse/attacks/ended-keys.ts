import { once } from "node:events";
import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { HostileClient } from "../hostile-client.ts";
import { HttpCaller } from "../http-caller.ts";
import { keyOf, placement, plant } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const CONNECTIONS = 90;

/** All of a key's connections end at once, and come again at once. */
export const endedKeys: Abuse = {
  name: "ended-keys",
  fault:
    "keys with ninety websockets each are revoked one after the other, and their sockets come again",
  unit: "keys",
  full: 40,
  short: 3,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async prepare(site) {
    await plant(site, new Tally(), [{ key: keyOf(0), place: placement(ROOT, 0), name: "small" }]);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 4);
    for (let round = 0; round < amount; round++) {
      const made = await caller.call("POST", "/api/v1/keys", { body: { name: `r${round}` } });
      const { id, key } = JSON.parse(made.text) as { readonly id: string; readonly key: string };
      const clients = Array.from(
        { length: CONNECTIONS },
        () => new HostileClient(site, tally, { key }),
      );
      await Promise.all(clients.map((client) => client.opened()));
      for (const client of clients) client.hello();
      const ended = clients
        .filter(({ isOpen }) => isOpen)
        .map(({ socket }) => once(socket, "close"));
      await caller.call("DELETE", `/api/v1/keys/${id}`);
      await Promise.all(ended);
      const again = Array.from(
        { length: CONNECTIONS },
        () => new HostileClient(site, tally, { key }),
      );
      await Promise.all(again.map((client) => client.opened()));
      for (const client of again) client.end();
    }
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "closed4401", (amount * CONNECTIONS) / 2),
};
