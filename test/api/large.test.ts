import { describe, expect } from "vitest";

import { runs } from "../support/runs.ts";
import { test } from "./support/api-test.ts";

describe("large outlines", () => {
  test("[N39] a chain of thousands of nodes", async ({ api }) => {
    const DEPTH = 5000;
    const operations = Array.from({ length: DEPTH }, (_, depth) => ({
      op: "create",
      name: `${depth}`,
      as: `$${depth}`,
      ...(depth > 0 && { parent_id: `$${depth - 1}` }),
    }));
    const { handles } = (await api.done("POST", "/batch", { operations })) as {
      readonly handles: Readonly<Record<string, string>>;
    };
    const [top = "", deepest = ""] = [handles["$0"], handles[`$${DEPTH - 1}`]];
    const place = await api.create({ name: "place", position: "bottom" });
    expect((await api.node(deepest)).name).toBe(String(DEPTH - 1));
    expect(await api.children(deepest)).toEqual([]);
    await api.move(top, { parent_id: place });
    const names = (await api.export()).map((node) => node.name);
    expect(names).toEqual(["place", ...Array.from({ length: DEPTH }, (_, depth) => `${depth}`)]);
    const below = { parent_id: deepest };
    expect(await api.outcome("POST", `/nodes/${top}/move`, below)).toBe("400 invalid_parent");
    await api.complete(deepest);
    await api.remove(top);
    expect(await api.outcome("GET", `/nodes/${deepest}`)).toBe("404 not_found");
    expect((await api.export()).map((node) => node.name)).toEqual(["place"]);
  });

  test("[N40] 10,000 siblings", async ({ api }) => {
    const COUNT = 10_000;
    const numbers = Array.from({ length: COUNT }, (_, index) => `${index}`);
    const parent = await api.create({ name: ["parent", ...numbers].join("\n\n") });
    const list = async () => (await api.children(parent)).map((node) => node.name);
    expect(await list()).toEqual(numbers);
    const first = await api.create({ parent_id: parent, name: "first" });
    const last = await api.create({ parent_id: parent, name: "last", position: "bottom" });
    expect(await list()).toEqual(["first", ...numbers, "last"]);
    expect((await api.node(last)).priority).toBe((COUNT + 2) * 100);
    await api.move(last, { parent_id: parent, position: "top" });
    await api.remove(first);
    expect(await list()).toEqual(["last", ...numbers]);
    expect((await api.export()).length).toBe(COUNT + 2);
    await api.remove(parent);
    expect(await api.export()).toEqual([]);
  });

  test("[N40] many nodes made one by one at the top stand in reverse", async ({ api }) => {
    const numbers = Array.from({ length: runs(250, 2000) }, (_, index) => `${index}`);
    for (const name of numbers) await api.create({ name });
    expect((await api.children()).map((node) => node.name)).toEqual(numbers.toReversed());
  });
});
