import { onTestFinished } from "vitest";
import { EventReader } from "../support/event-reader.ts";

/** A stream of events that is read until the test ends. */
export async function openEvents(
  ...asked: Parameters<typeof EventReader.open>
): Promise<EventReader> {
  const events = await EventReader.open(...asked);
  onTestFinished(() => events.close());
  return events;
}
