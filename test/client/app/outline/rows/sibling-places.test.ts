import { expect, it } from "vitest";
import { siblingPlaces } from "../../../../../client/app/outline/rows/sibling-places.ts";
import { openDesk } from "../../../support/fake-workspace.ts";

async function placesIn(notation: string, query = "", hidden = ""): Promise<string> {
  const { workspace, replica, key } = await openDesk(notation);
  if (hidden !== "") replica.edits.complete([key(hidden)], true);
  workspace.preferences.hidesCompleted.set(hidden !== "");
  workspace.rows.search(query);
  const rows = workspace.rows.rows.get();
  const places = siblingPlaces(workspace, rows);
  return rows
    .map((row, index) => {
      const name = replica.edits.text(row.key, "name")?.toJSON();
      const { position, siblings } = places(index);
      return `${name} ${position}/${siblings}`;
    })
    .join(", ");
}

it("[W434] a line has its place in its own list", async () => {
  expect(await placesIn("a(b(c) d) e(f) g")).toBe(
    "a 1/3, b 1/2, c 1/1, d 2/2, e 2/3, f 1/1, g 3/3",
  );
});

it("[W434] what a search leaves out does not count", async () => {
  expect(await placesIn("a(b x1 c x2) d e(x3)", "x")).toBe("a 1/2, x1 1/2, x2 2/2, e 2/2, x3 1/1");
});

it("[W434] nor do completed lines that are hidden", async () => {
  expect(await placesIn("a(b) c(d) e", "", "c")).toBe("a 1/2, b 1/1, e 2/2");
});
