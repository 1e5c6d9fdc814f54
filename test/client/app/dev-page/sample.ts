import { ROOT } from "../../../../src/core/node-key.ts";
import type { Outline } from "../../../../src/core/outline.ts";

/** A small outline with something of everything. */
export function plantSample(outline: Outline): void {
  const add = (parent: typeof ROOT, name: string, more: object = {}): typeof ROOT => {
    const made = outline.create({ parent, position: "bottom", name, ...more });
    if (made.kind !== "created") throw new Error(made.kind);
    return made.key;
  };
  const trip = add(ROOT, "Trip to the coast", { note: "Leave early, before the traffic." });
  add(trip, "Book the **small** hotel by the harbour", { layout: "todo" });
  add(trip, "Pack the tent", { layout: "todo", completed: true });
  const food = add(
    trip,
    "Food for three days, enough for five people who walk all day and come back hungry in the evening",
  );
  add(food, "Bread, cheese, olives #shopping");
  add(food, "Ask @Marta about the *stove*");
  const ideas = add(ROOT, "Ideas", { layout: "h2" });
  add(ideas, "A walk along the river", { note: "Two hours.\nMaybe three." });
  add(ideas, "const answer = 6 * 7;", { layout: "code-block" });
  add(ideas, "What is written is not lost.", { layout: "quote-block" });
  const reading = add(ROOT, "Reading");
  for (let index = 1; index <= 40; index++) {
    const book = add(reading, `Book ${index}`);
    if (index % 5 === 0) add(book, "A note about this one");
  }
  add(ROOT, "Last line");
}

/** Many nodes, ten below each. */
export function plantMany(outline: Outline, count: number): void {
  const keys = [ROOT];
  outline.doc.transact(() => {
    for (let index = 0; index < count; index++) {
      const parent = keys[Math.floor(index / 10)] ?? ROOT;
      const name = [{ insert: `Line ${index} of many, with some words in it` }];
      keys.push(outline.createPlain({ parent, position: "bottom", name }));
    }
  });
}
