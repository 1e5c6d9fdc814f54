import pg from "pg";

/**
 * The least that makes appends durable in a database: one statement at a time inserts what has arrived
 * meanwhile, into a table with a number and bytes. No owners, heads, checksums, epochs or limits.
 */
export class BarePostgresCommit {
  readonly #client: pg.Client;
  #waiting: { readonly value: Uint8Array; readonly done: () => void }[] = [];
  #isRunning = false;

  static async open(url: string): Promise<BarePostgresCommit> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      "create table bare (id bigint generated always as identity primary key, data bytea)",
    );
    return new BarePostgresCommit(client);
  }

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  append(value: Uint8Array): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ value, done });
      if (this.#isRunning) return;
      this.#isRunning = true;
      queueMicrotask(() => void this.#run());
    });
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#client.query({
        name: "append",
        text: `insert into bare (data) select substr($1::bytea, at, length)
          from unnest($2::int[], $3::int[]) as a (at, length)`,
        values: [Buffer.concat(batch.map(({ value }) => value)), ...placesOf(batch)],
      });
      for (const { done } of batch) done();
    }
    this.#isRunning = false;
  }
}

function placesOf(batch: readonly { readonly value: Uint8Array }[]): readonly [number[], number[]] {
  let at = 1;
  const starts: number[] = [];
  const lengths: number[] = [];
  for (const { value } of batch) {
    starts.push(at);
    lengths.push(value.byteLength);
    at += value.byteLength;
  }
  return [starts, lengths];
}
