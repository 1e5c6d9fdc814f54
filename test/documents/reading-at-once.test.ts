import { describe, expect, test } from "vitest";
import { ROOT } from "../../src/core/node-key.ts";
import { addNode, namesIn, stateOf, workshop } from "./support/workshop.ts";

describe("reading at once", () => {
  test("[P41] is possible when the outline is in memory and all of it is durable", async () => {
    const { documents, id, log } = workshop();
    expect(documents.peek(id)).toBe(undefined);
    const { document, release } = await documents.open(id);
    await addNode(document, "a");
    expect(documents.peek(id)).toBe(document);
    expect(document.readNow(namesIn)).toEqual({ result: ["a"] });
    log.hold();
    const written = addNode(document, "b");
    expect(await stateOf(written)).toBe("pending");
    expect(document.readNow(() => expect.fail("not durable"))).toBe(undefined);
    log.release();
    await written;
    expect(document.readNow(namesIn)).toEqual({ result: ["a", "b"] });
    release();
    await documents.close();
    expect(documents.peek(id)).toBe(undefined);
    expect(document.readNow(namesIn)).toBe(undefined);
  });

  test("[P41] is not possible in the middle of long work", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const seen: unknown[] = [];
    const work = document.bulk(function* (outline) {
      outline.create({ parent: ROOT, name: "half" });
      seen.push(document.readNow(namesIn));
      yield;
      outline.create({ parent: ROOT, name: "whole" });
      seen.push(document.readNow(namesIn));
    });
    await work;
    expect(seen).toEqual([undefined, undefined]);
    expect(document.readNow(namesIn)).toEqual({ result: ["half", "whole"] });
    await documents.close();
  });

  test("[P41] is not possible in an outline that is being removed", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    await addNode(document, "a");
    const dropped = documents.drop(id);
    expect(documents.peek(id)).toBe(undefined);
    await dropped;
    expect(documents.peek(id)).toBe(undefined);
    expect(document.readNow(namesIn)).toBe(undefined);
    await documents.close();
  });
});
