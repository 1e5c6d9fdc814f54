import type { Author, ClientWriters } from "../documents/replica/author.ts";

/** A live session that writes, as the others see it. */
export interface Writer {
  readonly author: Author;
  /** What the client's process said of itself; two sessions of one process say the same. */
  readonly instance: string;
  /** False once it has left, when what it sent before may still be applied. */
  readonly isHere: boolean;
}

/**
 * Which of an outline's sessions writes under which client id: who is the first to write under one has
 * it until they leave, since an id that two write under corrupts documents without a sign. The next
 * session of the same process takes it over. Stock clients take none: they could not write anew.
 */
export class RoomWriters {
  /** As many as the sessions have written under, and an outline may have [Q58]. */
  readonly #byClient = new Map<number, Writer>();

  /** The same for one session, and what it has written itself or not. */
  for(writer: Writer, isOwn: boolean): ClientWriters {
    return {
      isOwn,
      isAnothers: (client) => {
        const known = this.#byClient.get(client);
        return known !== undefined && known.instance !== writer.instance;
      },
      take: (client) => {
        if (writer.isHere) this.#byClient.set(client, writer);
      },
    };
  }

  /** Whether a client id is the author's alone; undefined when nobody has it. */
  isOf(client: number, author: Author): boolean | undefined {
    const writer = this.#byClient.get(client);
    return writer === undefined ? undefined : writer.author.session === author.session;
  }

  leave(writer: Writer): void {
    for (const [client, known] of this.#byClient) {
      if (known === writer) this.#byClient.delete(client);
    }
  }
}
