import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/**
 * Makes a page note the rows it shows, by key, when its status turns to "saved". What is typed in the
 * same moment takes a frame to show in the status, so a state that does not last as long does not
 * count.
 */
function noteWhatIsSaved(): void {
  const status = document.querySelector<HTMLElement>("[data-part=status]");
  if (status === null) throw new Error("the page shows no status");
  let turns = 0;
  new MutationObserver(() => {
    const turn = ++turns;
    if (status.dataset["state"] !== "saved") return;
    const rows = [...document.querySelectorAll<HTMLElement>("[role=treeitem]")].map((row) => [
      row.dataset["key"],
      row.querySelector("[data-part=name]")?.textContent,
    ]);
    const noted = JSON.stringify(Object.fromEntries(rows));
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (turn === turns) document.documentElement.dataset["saved"] = noted;
      }),
    );
  }).observe(status, { attributeFilter: ["data-state"] });
}

test("the server is killed in the middle of a burst: nothing that was called saved is missing", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const device = await stage.device(key);
  await device.reaches("saved");
  await device.page.evaluate(noteWhatIsSaved);
  await device.focus(line);

  const notedAsSaved = async (): Promise<Readonly<Record<string, string>>> => {
    const noted = await device.page.evaluate(() => document.documentElement.dataset["saved"]);
    return JSON.parse(noted ?? "{}") as Readonly<Record<string, string>>;
  };
  const typed = ["start"];
  for (let round = 0; round < 3; round++) {
    // Through REST too, until the kill cuts a request off.
    const isOver = { value: false };
    const acknowledged: string[] = [];
    const requests = Array.from({ length: 4 }, async (_, worker) => {
      for (let count = 0; !isOver.value; count++) {
        const name = `rest ${round} ${worker} ${count}`;
        const answer = await server
          .call("POST", "nodes", { name, parent_id: "inbox" }, key)
          .catch(() => undefined);
        if (answer?.status === 200) acknowledged.push(name);
      }
    });
    for (let count = 0; count < 12; count++) {
      const name = `typed ${round} ${count}`;
      await device.press("Enter");
      await device.type(name);
      typed.push(name);
      // The pause of somebody who thinks, in one round of three: until what stands there was noted
      // as saved.
      if (count === 6 && round === 1) {
        // The status is there for who reads of a failure.
        await expect
          .poll(
            async () => [(await device.status()).words, ...Object.values(await notedAsSaved())],
            SOON,
          )
          .toContain(name);
      }
    }
    await expect.poll(() => acknowledged.length, SOON).toBeGreaterThan(5);
    await server.kill();
    isOver.value = true;
    await Promise.all(requests);
    // What the page had said until then, against what is on the disk, before the page comes again.
    await device.network.refuse();
    const saved = await notedAsSaved();
    await server.restart();
    const nodes = await server.everything(key);
    const names = new Set(nodes.map(({ name }) => name));
    const nameOf = new Map(nodes.map(({ id, name }) => [id.slice(-12), name]));
    // Names only grow here: the disk may have more of one than was shown when it was saved.
    const missing = Object.entries(saved).filter(
      ([row, name]) => nameOf.get(row)?.startsWith(name) !== true,
    );
    expect(missing).toEqual([]);
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    if (round === 1) expect(Object.keys(saved).length).toBeGreaterThan(12);
    await device.network.pass();
  }
  await device.reaches("saved");
  const names = (await server.everything(key)).map(({ name }) => name);
  expect(names.filter((name) => /^(start|typed )/.test(name)).toSorted()).toEqual(typed.toSorted());
});
