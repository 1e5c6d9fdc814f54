import { expect } from "vitest";

import { test } from "./support/api-test.ts";
import { plant } from "./support/sketch.ts";

const NOT_STRINGS = [5, 0, true, false, [], ["x"], {}, { id: "x" }];
const NOT_BOOLEANS = ["true", "", 0, 1, [], {}];
const NOT_SECONDS = ["soon", true, [], {}, 1.5];

/** Each known field with values of every wrong type. `:id` is a node's id. */
const WRONG_TYPES: readonly (readonly [path: string, fields: object, wrong: object])[] = [
  ["/nodes", { name: "x" }, { parent_id: NOT_STRINGS, note: NOT_STRINGS }],
  ["/nodes", { name: "x" }, { layoutMode: NOT_STRINGS, position: NOT_STRINGS }],
  ["/nodes", { name: "x" }, { completed: NOT_BOOLEANS }],
  ["/nodes/:id", {}, { name: NOT_STRINGS, note: NOT_STRINGS, layoutMode: NOT_STRINGS }],
  ["/nodes/:id", { name: "x" }, { completed: NOT_BOOLEANS }],
  ["/nodes/:id/move", {}, { parent_id: NOT_STRINGS, position: NOT_STRINGS }],
  ["/keys", { name: "x" }, { scope: NOT_STRINGS, root_id: NOT_STRINGS, expiresAt: NOT_SECONDS }],
];

/** Words that are not among the known ones. */
const UNKNOWN_WORDS = {
  layoutMode: ["", " todo", "h1\n", "a b", "a_b", "\u00e9", 'p"', "__proto__", "x".repeat(33)],
  position: ["middle", "first", "Top", "Last", "", "0", "top ", "constructor"],
};

test.for(WRONG_TYPES)("[E3] POST %s refuses %o with wrong values", async (row, { api }) => {
  const [path, fields, wrong] = row;
  const id = await plant(api, "a(b) c");
  const before = await api.state();
  for (const [field, values] of Object.entries(wrong) as [string, unknown[]][]) {
    for (const value of values) {
      const body = { ...fields, [field]: value };
      const outcome = await api.outcome("POST", path.replace(":id", id("b")), body);
      expect([path, body, outcome]).toEqual([path, body, "400 invalid_request"]);
    }
  }
  expect(await api.state()).toEqual(before);
});

test.for([
  ["/nodes", { name: "x" }, ["layoutMode", "position"]],
  ["/nodes/:id", { name: "x" }, ["layoutMode"]],
  ["/nodes/:id/move", { parent_id: null }, ["position"]],
] as const)("[E4] POST %s refuses unknown words", async ([path, fields, words], { api }) => {
  const id = await plant(api, "a(b) c");
  const before = await api.state();
  for (const field of words) {
    for (const word of UNKNOWN_WORDS[field]) {
      const body = { ...fields, [field]: word };
      const outcome = await api.outcome("POST", path.replace(":id", id("b")), body);
      expect([path, body, outcome]).toEqual([path, body, "400 invalid_request"]);
    }
  }
  expect(await api.state()).toEqual(before);
});

test("[E3] one wrong field refuses all of them", async ({ api }) => {
  const id = await api.create({ name: "x", note: "y" });
  const before = await api.node(id);
  const body = { name: "new", note: "new", layoutMode: "h1", completed: "yes" };
  expect(await api.outcome("POST", `/nodes/${id}`, body)).toBe("400 invalid_request");
  expect(await api.node(id)).toEqual(before);
});
