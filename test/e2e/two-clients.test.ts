import { describe, expect, test, vi } from "vitest";
import { INBOX, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { call, useProgramFolder } from "./program-folder.ts";
import type { ServerProcess } from "./server-process.ts";
import { connectStockClient, type StockClient } from "./stock-client.ts";

const program = useProgramFolder();
const WAIT = { timeout: 60_000, interval: 20 };

/** The names at the top level, as the API lists them. */
async function namesOf(server: ServerProcess, key: string, parent = "None"): Promise<string[]> {
  const { body } = await call(server, key, "GET", `nodes?parent_id=${parent}`);
  const { nodes } = body as { nodes: { name: string; priority: number }[] };
  return nodes.sort((a, b) => a.priority - b.priority).map(({ name }) => name);
}

function namesIn({ outline }: StockClient, parent: NodeKey = ROOT): string[] {
  return outline.children(parent).map(({ name }) => name);
}

describe("two stock clients and REST on one server", () => {
  test("[S1] see each other's work", async () => {
    const server = await program.start();
    const { key } = server;
    const anna = connectStockClient(server.url, key);
    const ben = connectStockClient(server.url, key);
    try {
      await call(server, key, "POST", "nodes", { name: "by **REST**" });
      for (const client of [anna, ben]) {
        await vi.waitFor(() => expect(namesIn(client)).toEqual(["by <b>REST</b>"]), WAIT);
      }
      anna.outline.create({ parent: ROOT, position: "bottom", name: "by Anna" });
      ben.outline.create({ parent: INBOX, name: "by Ben" });
      const expected = ["by <b>REST</b>", "by Anna", "Inbox"];
      for (const client of [anna, ben]) {
        await vi.waitFor(
          () => expect(namesIn(client).toSorted()).toEqual(expected.toSorted()),
          WAIT,
        );
        await vi.waitFor(() => expect(namesIn(client, INBOX)).toEqual(["by Ben"]), WAIT);
      }
      await vi.waitFor(async () => {
        expect((await namesOf(server, key)).toSorted()).toEqual(expected.toSorted());
        expect(await namesOf(server, key, "inbox")).toEqual(["by Ben"]);
      }, WAIT);
    } finally {
      anna.leave();
      ben.leave();
    }
  });

  test("[C11] SIGTERM: requests are finished, sockets closed with 1012, nothing is lost", async () => {
    const server = await program.start();
    const { key } = server;
    const { port } = new URL(server.url);
    const anna = connectStockClient(server.url, key);
    try {
      await vi.waitFor(() => expect(anna.provider.synced).toBe(true), WAIT);
      const created = Array.from({ length: 50 }, (_, count) =>
        call(server, key, "POST", "nodes", { name: `n${count}` }).catch(() => undefined),
      );
      await Promise.race(created);
      const { code, err } = await server.stop("SIGTERM");
      const answers = await Promise.all(created);
      expect(code).toBe(0);
      expect(err).toContain('"msg":"stopped"');
      await vi.waitFor(() => expect(anna.closeCodes).toContain(1012), WAIT);

      const again = await program.start({ environment: { OUTLINE_PORT: port } });
      const kept = new Set(await namesOf(again, key));
      for (const [count, answer] of answers.entries()) {
        if (answer?.status === 200) expect(kept).toContain(`n${count}`);
      }
      expect(answers.filter((answer) => answer?.status === 200).length).toBeGreaterThan(0);
      await vi.waitFor(() => expect(new Set(namesIn(anna))).toEqual(kept), WAIT);
    } finally {
      anna.leave();
    }
  });
});
