import { expect, test } from "vitest";
import { EventReader } from "../support/event-reader.ts";
import { useProgramFolder } from "./program-folder.ts";
import type { ServerProcess } from "./server-process.ts";

const program = useProgramFolder();

const KILLS = 8;
/** Events that have come before each. */
const EVENTS = 3;
const KEY = "ok_events_are_followed_with_this";

/** Makes one node after the other until the server is gone, and notes those that were answered. */
async function write({ url }: ServerProcess, answered: string[]): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}` };
  const body = JSON.stringify({ name: "node" });
  for (;;) {
    try {
      const response = await fetch(`${url}/api/v1/nodes`, { method: "POST", headers, body });
      answered.push(((await response.json()) as { readonly item_id: string }).item_id);
    } catch {
      return;
    }
  }
}

test("[U89] who follows a server that is killed again and again is told of all that it has answered, in order", async () => {
  const start = () => program.start({ environment: { OUTLINE_API_KEY: KEY } });
  const answered: string[] = [];
  const told = new Set<string>();
  let lastEventId: string | undefined;

  async function follow(server: ServerProcess): Promise<EventReader> {
    const last = lastEventId === undefined ? {} : { lastEventId };
    const events = await EventReader.open({ url: server.url, key: KEY }, "", last);
    expect(events.status).toBe(200);
    return events;
  }

  /** @returns whether there was one */
  async function take(events: EventReader): Promise<boolean> {
    const event = await events.next();
    if (event === undefined) return false;
    expect(event.event).toBe("changes");
    const { changed } = event.data as { readonly changed: readonly string[] };
    for (const id of changed) told.add(id);
    lastEventId = event.id;
    return true;
  }

  for (let kills = 0; kills < KILLS; kills++) {
    const server = await start();
    const events = await follow(server);
    lastEventId ??= await events.begun();
    const written = write(server, answered);
    for (let count = 0; count < EVENTS; count++) expect(await take(events)).toBe(true);
    await server.stop("SIGKILL");
    await written;
    while (await take(events));
  }
  const server = await start();
  const events = await follow(server);
  while (answered.some((id) => !told.has(id))) expect(await take(events)).toBe(true);
  expect([...told].filter((id) => answered.includes(id))).toEqual(answered);
  expect(answered.length).toBeGreaterThan(KILLS * EVENTS);
  await server.stop("SIGTERM");
});
