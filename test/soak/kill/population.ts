import { readConfig } from "../../../src/config.ts";
import type { Random } from "../../../src/core/node-key.ts";
import { openService } from "../../../src/open-service.ts";
import { call } from "../../e2e/program-folder.ts";
import type { ServerProcess } from "../../e2e/server-process.ts";
import { DeviceWriter } from "./device-writer.ts";
import { Ledger, type Span } from "./ledger.ts";
import { keyOfId, type TreeNode } from "./outline-tree.ts";
import { type ReadBack, readBack, UnreadableOutlineError } from "./read-back.ts";
import { RestWriter } from "./rest-writer.ts";
import { watchUntilEnd } from "./stock-watcher.ts";

/** By user: how many write to the outline over the API. */
const REST_WRITERS = { ann: 3, bob: 2 } as const;

interface Inhabitant {
  readonly user: string;
  readonly key: string;
  readonly restWriters: readonly RestWriter[];
  readonly deviceWriter: DeviceWriter;
  /** By client id, what the server passed on to a stock client before the last fault. */
  passedOn: ReadonlyMap<number, number>;
}

/** What was found after a fault, over all writers. */
export interface Findings {
  readonly failures: readonly string[];
  /** Edits that were under way and not acknowledged. */
  readonly open: number;
  /** Those of them that are there all the same. */
  readonly landed: number;
}

/** Makes the users in a new data folder. @returns their API keys */
export async function addUsers(data: string): Promise<readonly string[]> {
  const read = readConfig({}, { OUTLINE_DATA: data });
  if (read.kind === "bad") throw new Error(read.sentences.join());
  const service = await openService(read.config);
  const keys: string[] = [];
  for (const user of Object.keys(REST_WRITERS)) {
    const added = await service.accounts.addUser(user);
    if (added.kind !== "added") throw new Error(`${user}: ${added.kind}`);
    keys.push(added.key);
  }
  await service.close();
  return keys;
}

/**
 * Users who work at a server all at once, over the API and over websockets, each writer in a part
 * of an outline of its own; and what each of them was told.
 */
export class Population {
  readonly #inhabitants: readonly Inhabitant[];
  readonly #random: Random;

  /** Gives every writer a node to work below. */
  static async settle(url: string, keys: readonly string[], random: Random): Promise<Population> {
    const inhabitants: Inhabitant[] = [];
    for (const [index, [user, count]] of Object.entries(REST_WRITERS).entries()) {
      const key = keys[index] ?? "";
      const writer = async (name: string) => {
        return { name, key, random, ledger: new Ledger(await newHome(url, key, name)) };
      };
      const restWriters: RestWriter[] = [];
      for (let number = 1; number <= count; number++) {
        restWriters.push(new RestWriter(await writer(`${user} rest ${number}`)));
      }
      const deviceWriter = new DeviceWriter(await writer(`${user} device`));
      inhabitants.push({ user, key, restWriters, deviceWriter, passedOn: new Map() });
    }
    return new Population(inhabitants, random);
  }

  private constructor(inhabitants: readonly Inhabitant[], random: Random) {
    this.#inhabitants = inhabitants;
    this.#random = random;
  }

  /** Edits that were acknowledged since everybody settled. */
  get acknowledged(): number {
    return this.ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  get ledgers(): readonly Ledger[] {
    return this.#inhabitants.flatMap(({ restWriters, deviceWriter }) =>
      [...restWriters, deviceWriter].map(({ ledger }) => ledger),
    );
  }

  /** Everybody works until the server has ended. @returns what was refused */
  async workUntilEnd(server: ServerProcess): Promise<readonly string[]> {
    let isOver = false;
    const ended = server.ended.then(() => (isOver = true));
    const { url } = server;
    const results = this.#inhabitants.flatMap((inhabitant) => {
      const { restWriters, deviceWriter, key } = inhabitant;
      const watching = watchUntilEnd(url, { key, random: this.#random, ended });
      return [
        ...[...restWriters, deviceWriter].map((writer) => writer.writeUntil(url, () => isOver)),
        watching.then((clocks) => {
          inhabitant.passedOn = clocks;
          return undefined;
        }),
      ];
    });
    return (await Promise.all(results)).filter((refusal) => refusal !== undefined);
  }

  /**
   * What is wrong with what another server shows of a moment that is past, in words.
   * @param spans for each of the `ledgers`, which states may have been there at that moment
   */
  async compare(url: string, spans: readonly Span[]): Promise<readonly string[]> {
    const failures: string[] = [];
    const left = [...spans];
    for (const { user, key, restWriters, deviceWriter } of this.#inhabitants) {
      const found = await readOrReason(url, key);
      for (const { ledger } of [...restWriters, deviceWriter]) {
        const span = left.shift() ?? ledger.span;
        const difference =
          typeof found === "string" ? found : ledger.find(homeIn(found.trees, ledger), span);
        if (typeof difference === "string") failures.push(`${user}: ${difference}`);
      }
    }
    return failures;
  }

  /** Reads everything back and compares it with what everybody was told. */
  async check(url: string): Promise<Findings> {
    const failures: string[] = [];
    let open = 0;
    let landed = 0;
    for (const { user, key, restWriters, deviceWriter, passedOn } of this.#inhabitants) {
      const found = await readOrReason(url, key);
      if (typeof found === "string") {
        failures.push(`${user}: ${found}`);
        continue;
      }
      const { trees, clocks } = found;
      for (const { ledger } of [...restWriters, deviceWriter]) {
        const settlement = ledger.settle(homeIn(trees, ledger));
        if (settlement.failure !== undefined) failures.push(`${user}: ${settlement.failure}`);
        open += settlement.open;
        landed += settlement.landed;
      }
      for (const [client, clock] of passedOn) {
        const kept = clocks.get(client) ?? 0;
        if (kept >= clock) continue;
        failures.push(`${user}: passed on ${clock} structs of client ${client}, kept ${kept}`);
      }
    }
    return { failures, open, landed };
  }
}

/** What is there of the part that a ledger is about. */
function homeIn(trees: readonly TreeNode[], { latest }: Ledger): TreeNode | undefined {
  return trees.find(({ key }) => key === latest.key);
}

async function newHome(url: string, key: string, name: string) {
  const { status, body } = await call({ url }, key, "POST", "nodes", { name, position: "bottom" });
  if (status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`);
  const { item_id: id } = body as { readonly item_id: string };
  return { key: keyOfId(id), name, note: null, completed: false, children: [] };
}

async function readOrReason(url: string, key: string): Promise<ReadBack | string> {
  try {
    return await readBack(url, key);
  } catch (error) {
    if (error instanceof UnreadableOutlineError) return error.message;
    throw error;
  }
}
