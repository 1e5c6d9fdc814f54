import { expect, test } from "vitest";
import { setImmediate as yieldNow } from "node:timers/promises";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import { Documents } from "../../src/documents/documents.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";

test("smoke", async () => {
  const store = new MemoryStore();
  const options = () => ({
    log: store.log,
    now: Date.now,
    random: Math.random,
    timers: {
      setTimeout,
      clearTimeout: (h: unknown) => clearTimeout(h as NodeJS.Timeout),
      yieldNow: () => yieldNow(),
    },
  });
  const id = newOutlineId(Math.random);
  const documents = new Documents(options());
  const made = await documents.use(id, (document) =>
    document.write((outline) => outline.create({ parent: ROOT, name: "hello **you**" })),
  );
  expect(made.kind).toBe("created");
  const names = await documents.use(id, (document) =>
    document.read((outline) => outline.children(ROOT).map((n) => n.name)),
  );
  expect(names).toEqual(["hello <b>you</b>"]);
  await documents.close();
  const again = new Documents(options());
  expect(
    await again.use(id, (document) =>
      document.read((outline) => outline.children(ROOT).map((n) => n.name)),
    ),
  ).toEqual(names);
  await again.close();
});
