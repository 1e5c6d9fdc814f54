import type * as Y from "yjs";
import type { DeviceRecords } from "./device-records.ts";
import { DisconnectedError } from "./disconnected-error.ts";
import type { OwnEdits } from "./own-edits.ts";
import { SavedWaits } from "./saved-waits.ts";
import type { Disconnection, Status } from "./status.ts";
import { type Contact, statusOf } from "./status-of.ts";

/** How it stands with the server, as the leading tab knows. */
export interface ServerStanding {
  readonly contact: Contact;
  readonly obstacle: Disconnection | undefined;
}

/** When the oldest edit was made that is in the outbox: the store does not know. */
const SINCE_RECORD = "unsent-since";
/** What is waited for besides edits: that everything of the server's has come. */
const CONNECTED = "connected";

/** Keeps the status and those who wait for it. */
export class ReplicaStatus {
  readonly waits = new SavedWaits();
  readonly #own: OwnEdits;
  readonly #doc: () => Y.Doc;
  readonly #records: DeviceRecords;
  readonly #listeners = new Set<(status: Status) => void>();
  #server: ServerStanding = { contact: { kind: "joining" }, obstacle: undefined };
  #status: Status = { kind: "saving", unsent: 0 };
  #since: number | undefined;
  /** What the record says. */
  #noted: number | undefined;

  /** @param doc what the replica is now */
  constructor(own: OwnEdits, records: DeviceRecords, doc: () => Y.Doc) {
    this.#own = own;
    this.#doc = doc;
    this.#records = records;
  }

  /** When the oldest unsent edit was made, as an earlier run of the program has noted. */
  async readSince(): Promise<number | undefined> {
    const since = await this.#records.read(SINCE_RECORD);
    this.#noted = typeof since === "number" ? since : undefined;
    return this.#noted;
  }

  get status(): Status {
    return this.#status;
  }

  /** When the oldest unsent edit was made. */
  get since(): number | undefined {
    return this.#since;
  }

  onStatus(listener: (status: Status) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes in how it stands with the server, when that is new, and what follows. */
  renew(server: ServerStanding = this.#server): void {
    this.#server = server;
    const { contact, obstacle } = server;
    const { count, since } = this.#own.unsent;
    this.#since = since;
    this.#noteSince(contact);
    const failure = this.#own.failure?.code;
    // What is not stored yet is no claim to make: "on this device" is said of what is in the store.
    const isOnDevice = contact.kind === "away" && failure === undefined;
    const unsent = isOnDevice ? count : this.#own.unsavedCount;
    const countLines = (): number => this.#own.unsentLines(this.#doc());
    const status = statusOf({ contact, obstacle, failure, unsent, countLines, since });
    if (JSON.stringify(status) !== JSON.stringify(this.#status)) {
      this.#status = status;
      for (const listener of this.#listeners) listener(status);
    }
    this.#endWaits();
  }

  /** Resolves when the server has everything done so far. */
  saved(): Promise<void> {
    return this.#wait(this.#own.unsaved.map(({ token }) => token));
  }

  /** Resolves when everything that the server has had its time to come. */
  caughtUp(): Promise<void> {
    return this.#wait([CONNECTED]);
  }

  close(): void {
    this.#listeners.clear();
    this.waits.failed(new DisconnectedError("closed"));
  }

  /** Only what is not sent soon is worth a record. */
  #noteSince({ kind }: Contact): void {
    const noted = kind === "away" || this.#since === undefined ? this.#since : this.#noted;
    if (noted === this.#noted) return;
    this.#noted = noted;
    this.#records.write(SINCE_RECORD, noted);
  }

  #wait(tokens: readonly string[]): Promise<void> {
    const wait = this.waits.on(tokens);
    this.#endWaits();
    return wait;
  }

  #endWaits(): void {
    const { contact, obstacle } = this.#server;
    if (contact.kind === "live") this.waits.settled([CONNECTED]);
    const cause = obstacle ?? (contact.kind === "away" ? contact.cause : undefined);
    if (cause === undefined || cause === "unreachable" || cause === "unavailable") return;
    this.waits.failed(new DisconnectedError(cause));
  }
}
