import * as encoding from "lib0/encoding";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { nodesOf } from "../../../src/core/schema.ts";
import type { Inspection } from "../../../src/core/updates/update-guard.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { callsOf } from "../../support/calls-of.ts";

/** A document in which a node was removed, and the id of its text. */
function withRemoved(): { readonly doc: Y.Doc; readonly client: number } {
  const doc = new Y.Doc();
  const nodes = nodesOf(doc);
  nodes.set("123456789abc", new Y.Text("gone"));
  nodes.delete("123456789abc");
  return { doc, client: doc.clientID };
}

/** An update by many clients, each of which types "ab" into a text and deletes the "a". */
function typedBy(clients: readonly number[], text: number): Uint8Array {
  return encoding.encode((encoder) => {
    const write = (...numbers: readonly number[]): void => {
      for (const number of numbers) encoding.writeVarUint(encoder, number);
    };
    write(clients.length);
    for (const client of clients) {
      write(1, client, 0);
      encoding.writeUint8(encoder, 4);
      write(0, text, 0);
      encoding.writeVarString(encoder, "ab");
    }
    write(clients.length);
    for (const client of clients.toReversed()) write(client, 1, 0, 1);
  });
}

test("[D91] what each of many clients typed into removed lines is found, however many delete something", async () => {
  const { doc, client } = withRemoved();
  const clients = Array.from({ length: 2_000 }, (_, index) => 2 ** 28 + index);
  const update = typedBy(clients, client);
  let inspection: Inspection | undefined;
  const calls = await callsOf(() => (inspection = inspectUpdate(doc, update)));
  const texts = inspection?.kind === "ok" ? inspection.strayTexts : [];
  expect(texts.toSorted((one, other) => one.client - other.client)).toEqual(
    clients.map((each) => ({ client: each, text: "b" })),
  );
  expect(calls).toBeLessThan(1_000_000);
});
