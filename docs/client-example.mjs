// A replica of your outline in twenty lines: node docs/client-example.mjs
import { open, ROOT } from "outline-service/client";

const { OUTLINE_URL: url = "http://127.0.0.1:6683", OUTLINE_KEY: key = "ok_…" } = process.env;
const replica = await open({ url, key, store: "./outline-replica" });
const { outline, edits, history } = replica;
replica.onStatus(({ kind, unsent = 0 }) => console.log(`${kind}, ${unsent} to send`));
await replica.caughtUp(); // leave this out to go on without a server

const trip = edits.create({ parent: ROOT, name: "# Trip", position: "bottom" });
edits.create({ parent: trip.key, name: "- [ ] book a **train**" });
edits.create({ parent: trip.key, name: "- [x] pack" });
edits.move([outline.childKeys(trip.key)[0]], { parent: ROOT });
history.undo(); // takes back what was done here, never what others did

for (const { name, completedAt } of outline.children(trip.key)) {
  console.log(completedAt === null ? "open" : "done", name);
}
await replica.saved(); // the server has it, durably
await replica.close();
