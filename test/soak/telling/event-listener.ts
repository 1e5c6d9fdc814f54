import type { ServerProcess } from "../../e2e/server-process.ts";
import { EventReader } from "../../support/event-reader.ts";
import { KEY, type Listener } from "./listener.ts";

/** Who follows the stream of events, and comes back to it with the last id that it has. */
export class EventListener implements Listener {
  readonly told = new Set<string>();
  arrived = 0;
  #isDeaf = false;
  #lastEventId: string | undefined;
  #stream: EventReader | undefined;
  /** Resolves when all of the stream has been read. */
  #isRead: Promise<void> = Promise.resolve();

  async attend({ url }: ServerProcess): Promise<void> {
    await this.#isRead;
    this.#isDeaf = false;
    const lastEventId = this.#lastEventId;
    const stream = await EventReader.open(
      { url, key: KEY },
      "",
      lastEventId === undefined ? {} : { lastEventId },
    );
    if (stream.status !== 200) throw new Error(`the stream of events is ${stream.status}`);
    this.#lastEventId ??= await stream.begun();
    this.#stream = stream;
    this.#isRead = this.#read(stream);
  }

  deafen(): void {
    this.#isDeaf = true;
  }

  close(): void {
    this.#stream?.close();
  }

  async #read(stream: EventReader): Promise<void> {
    for (;;) {
      const event = await stream.next();
      if (event === undefined) return;
      this.arrived += 1;
      if (this.#isDeaf) continue;
      const { changed } = event.data as { readonly changed?: readonly string[] };
      // A `reset` has none.
      for (const id of changed ?? []) this.told.add(id);
      this.#lastEventId = event.id;
    }
  }
}
