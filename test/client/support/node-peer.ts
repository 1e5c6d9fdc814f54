import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Status } from "../../../client/lib/status.ts";
import { builtProgram } from "../../support/built-program.ts";

/** What a peer is started with. */
export interface PeerStart {
  readonly url: string;
  readonly key: string;
  /** Of its LevelDB store. */
  readonly folder: string;
  readonly seed: number;
}

export type PeerRequest =
  | { readonly kind: "create"; readonly name: string }
  /** Makes random edits. */
  | { readonly kind: "edit"; readonly count: number }
  | { readonly kind: "sketch" | "status" | "saved" | "stored" | "close" };

export type PeerAnswer =
  | { readonly kind: "done" }
  /** The texts that must be there in the end, exactly once. */
  | { readonly kind: "edited"; readonly kept: readonly string[] }
  | { readonly kind: "sketch"; readonly sketch: readonly string[] }
  | { readonly kind: "status"; readonly status: Status };

interface Reply {
  readonly id: number;
  readonly result?: PeerAnswer;
  readonly failure?: string;
}

const PROGRAM = builtProgram("node-peer-process.ts", import.meta.url);

/** A Node process that keeps a replica with the client library, stored in LevelDB. */
export class NodePeer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if (reply.result !== undefined) waiting?.resolve(reply.result);
      else waiting?.reject(new Error(reply.failure));
    });
    child.on("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the process ended"));
    });
  }

  /** Resolves when its replica is loaded. */
  static async start(options: PeerStart): Promise<NodePeer> {
    const program = [PROGRAM, JSON.stringify(options)];
    const stdio: ("ignore" | "inherit" | "ipc")[] = ["ignore", "inherit", "inherit", "ipc"];
    const peer = new NodePeer(spawn(process.execPath, program, { stdio }));
    await peer.#answerTo(0);
    return peer;
  }

  async create(name: string): Promise<void> {
    await this.#ask({ kind: "create", name });
  }

  async edit(count: number): Promise<readonly string[]> {
    const answer = await this.#ask({ kind: "edit", count });
    return answer.kind === "edited" ? answer.kept : [];
  }

  /** Its replica as indented names. */
  async sketch(): Promise<readonly string[]> {
    const answer = await this.#ask({ kind: "sketch" });
    return answer.kind === "sketch" ? answer.sketch : [];
  }

  async status(): Promise<Status | undefined> {
    const answer = await this.#ask({ kind: "status" });
    return answer.kind === "status" ? answer.status : undefined;
  }

  /** Resolves when the server has everything. */
  async saved(): Promise<void> {
    await this.#ask({ kind: "saved" });
  }

  /** Resolves when its own store has everything. */
  async stored(): Promise<void> {
    await this.#ask({ kind: "stored" });
  }

  /** Leaves in good order. */
  async close(): Promise<void> {
    const ended = once(this.#child, "exit");
    await this.#ask({ kind: "close" });
    await ended;
  }

  /** Ends it without a chance to finish anything. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  #ask(request: PeerRequest): Promise<PeerAnswer> {
    this.#count++;
    const answer = this.#answerTo(this.#count);
    this.#child.send({ id: this.#count, request });
    return answer;
  }

  #answerTo(id: number): Promise<PeerAnswer> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}

interface Waiting {
  readonly resolve: (answer: PeerAnswer) => void;
  readonly reject: (error: Error) => void;
}
