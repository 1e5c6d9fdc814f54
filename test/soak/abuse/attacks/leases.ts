import { randomBytes } from "node:crypto";
import type { Abuse, Counts } from "../abuse.ts";
import { HostileClient } from "../hostile-client.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { sumOf, Tally } from "../tally.ts";

const AT_ONCE = 95;
const A_CONNECTION = 20;
/** Of one key on one day: more than a person has devices, far fewer than there are ids. */
const MOST_GRANTED = 200;

/** Ids to write under are given away for ever. */
export const leases: Abuse = {
  name: "leases",
  fault:
    "a leaked key asks for ids to write under without end; then it is revoked, and the owner asks",
  unit: "requests",
  full: 60_000,
  short: 400,
  mutants: {
    "leases of a day": {
      wrong: "a key may lease as many ids as there are",
      edits: [
        {
          file: "documents/document-limits.js",
          from: "leasesPerKeyAndDay: 100,",
          to: "leasesPerKeyAndDay: 1e6,",
        },
        {
          file: "documents/document-limits.js",
          from: "leasesPerDay: 1_000,",
          to: "leasesPerDay: 1e6,",
        },
      ],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 1);
    const { text } = await caller.call("POST", "/api/v1/keys", { body: { name: "leaked" } });
    const leaked = JSON.parse(text) as { readonly id: string; readonly key: string };
    const connections = Math.ceil(amount / A_CONNECTION);
    await inParallel(connections, AT_ONCE, async () => {
      if (sumOf(tally.counts, "told_lease_denied") > 0 || tally.get("told_unavailable") > 0) return;
      const client = new HostileClient(site, tally, { key: leaked.key });
      if (!(await client.opened())) return;
      client.hello();
      for (let count = 0; count < A_CONNECTION; count++) {
        client.send({ kind: "lease_request", secret: new Uint8Array(randomBytes(32)) });
        tally.add("requests");
      }
      // Answered behind all that came before.
      await new Promise((resolve) => {
        let left = A_CONNECTION;
        client.socket.on("message", (data: Buffer) => {
          if (data[0] === 104 && --left === 0) resolve(undefined);
        });
        client.socket.once("close", resolve);
      });
      client.end();
    });
    await caller.call("DELETE", `/api/v1/keys/${leaked.id}`);
    caller.close();
    const owner = new Tally();
    const device = new HostileClient(site, owner);
    if (await device.opened()) {
      device.hello();
      device.send({ kind: "lease_request", secret: new Uint8Array(randomBytes(32)) });
      await new Promise((resolve) => {
        device.socket.on("message", (data: Buffer) => {
          if (data[0] === 104) resolve(undefined);
        });
        device.socket.once("close", resolve);
      });
      device.end();
    }
    tally.add("owner_granted", owner.get("told_lease_granted"));
    return tally.counts;
  },
  lackOf(counts, amount) {
    const told = sumOf(counts, "told_lease") + sumOf(counts, "closed");
    return told >= Math.min(amount, 40) ? undefined : `only ${told} were answered`;
  },
  harmOf(counts: Counts) {
    const granted = counts["told_lease_granted"] ?? 0;
    if ((counts["owner_granted"] ?? 0) === 0) return "the owner's device got no id to write under";
    return granted > MOST_GRANTED ? `${granted} ids were given to one key` : undefined;
  },
};
