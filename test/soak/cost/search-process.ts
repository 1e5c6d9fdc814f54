/**
 * A search in a process of its own: its memory and its thread are nobody else's, and it may be one in
 * which the program has no protection.
 */
import { Search, type SearchTask } from "./search.ts";

let isOver = false;

async function run(task: SearchTask): Promise<void> {
  const report = await new Search(task).run(
    (done) => {
      process.send?.({ done });
      return !isOver;
    },
    (failure) => process.send?.({ failure }),
  );
  process.send?.({ report });
}

process.on("message", (message: { readonly task: SearchTask } | "end") => {
  if (message === "end") isOver = true;
  else void run(message.task);
});
process.once("disconnect", () => process.exit());
