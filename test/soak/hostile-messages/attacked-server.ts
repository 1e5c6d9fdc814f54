import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { HttpLimits } from "../../../src/http/http-limits.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { TurnFigures } from "./turn-meter.ts";

export interface AttackedRole {
  readonly control: string | undefined;
  readonly limits?: Partial<HttpLimits>;
}

export type Ask =
  /** Makes a user. */
  | { readonly kind: "user"; readonly name: string }
  /** Makes one more key of a user. */
  | { readonly kind: "key"; readonly user: string; readonly scope: "read" | "write" }
  | { readonly kind: "counts" }
  /** A hash of what an outline holds; the same for replicas that hold the same. */
  | { readonly kind: "content"; readonly user: string }
  /** A hash of an outline in memory, to the bit, and of which keys its user has. */
  | { readonly kind: "state"; readonly user: string }
  /** A hash of what is stored of an outline, to the bit. */
  | { readonly kind: "stored"; readonly user: string };

export interface Counts {
  /** Updates that came as far as the document. */
  judged: number;
  readonly refused: Record<string, number>;
  /** Ended connections by the code that they were closed with. */
  readonly closed: Record<string, number>;
}

export interface ServerCounts extends Counts, TurnFigures {
  /** What was logged as an error, and what the documents call a defect. */
  readonly faults: readonly string[];
  /** What was logged and is nobody's business. */
  readonly leaks: readonly string[];
  readonly logLines: number;
  readonly rssMb: number;
}

export interface Answers {
  readonly user: string;
  readonly key: string;
  readonly counts: ServerCounts;
  readonly content: string;
  readonly state: string;
  readonly stored: string;
}

/** The service under attack, in its own process. */
export class AttackedServer {
  readonly url: string;
  /** Of the first user, `me`. */
  readonly key: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void }
  >();
  #lastId = 0;
  /** How it ended; undefined while it runs. */
  ended: string | undefined;

  private constructor(child: ChildProcess, { url, key }: { url: string; key: string }) {
    this.#child = child;
    this.url = url;
    this.key = key;
    child.on("message", ({ id, result }: { readonly id: number; readonly result: never }) => {
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
    });
    child.on("exit", (code, signal) => {
      this.ended = `the server ended with ${code ?? signal}`;
      for (const { reject } of this.#waiting.values()) reject(new Error(this.ended));
    });
  }

  static async start(role: AttackedRole): Promise<AttackedServer> {
    const child = fork(builtProgram("attacked-process.ts", import.meta.url));
    child.send(role);
    const [listening] = (await once(child, "message")) as [{ url: string; key: string }];
    return new AttackedServer(child, listening);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  ask<K extends Ask["kind"]>(ask: Extract<Ask, { kind: K }>): Promise<Answers[K]> {
    if (this.ended !== undefined) return Promise.reject(new Error(this.ended));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ask });
    });
  }

  async stop(): Promise<void> {
    if (this.ended !== undefined) return;
    const exit = once(this.#child, "exit");
    this.#child.kill();
    await exit;
  }
}
