import type { Random } from "../../../src/core/node-key.ts";
import { decodeServerMessage } from "../../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import type { ClientMessage, ServerMessage } from "../../../src/protocol/message.ts";
import {
  dueAt,
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  type SessionAnswer,
} from "./connection-state.ts";
import { step } from "./connection-step.ts";
import type { Socket, SocketListener } from "./socket.ts";

/** What the connection needs from outside. */
export interface ConnectionPorts {
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  readonly random: Random;
  /** Calls back once, unless it is stopped by calling the answer. */
  setTimer(callback: () => void, ms: number): () => void;
  openSocket(listener: SocketListener): Socket;
  /** Never rejects. */
  askSession(): Promise<SessionAnswer>;
}

/** Who speaks over the connection. */
export interface ConnectionListener {
  /** The state has changed. In `greeting`, hello and what belongs to it is to be sent. */
  onState(state: ConnectionState): void;
  /** What the server said, after the state that follows from it. */
  onMessage(message: ServerMessage): void;
}

/** The shell of the state machine: one socket, one timer, and messages as bytes. */
export class Connection {
  readonly #ports: ConnectionPorts;
  readonly #listener: ConnectionListener;
  readonly #events: ConnectionEvent[] = [];
  #state: ConnectionState = { kind: "off" };
  #socket: Socket | undefined;
  #stopTimer: (() => void) | undefined;
  #timerAt: number | undefined;
  #isStepping = false;
  #questions = 0;

  constructor(ports: ConnectionPorts, listener: ConnectionListener) {
    this.#ports = ports;
    this.#listener = listener;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Tells the machine what happened; from inside a listener: after what is told now. */
  dispatch(event: ConnectionEvent): void {
    this.#events.push(event);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        this.#step(next);
      }
    } finally {
      this.#isStepping = false;
    }
    this.#setTimer();
  }

  /** Answers the length of what was sent, in bytes. */
  send(message: ClientMessage): number {
    const bytes = encodeMessage(message);
    this.#socket?.send(bytes);
    return bytes.length;
  }

  #step(event: ConnectionEvent): void {
    const { elapsed, random } = this.#ports;
    const before = this.#state;
    const { state, effects } = step(before, event, { now: elapsed(), random });
    this.#state = state;
    for (const effect of effects) this.#run(effect);
    if (state !== before) this.#listener.onState(state);
  }

  #run(effect: ConnectionEffect): void {
    switch (effect) {
      case "open":
        this.#socket = this.#open();
        return;
      case "close":
        this.#socket?.close();
        this.#socket = undefined;
        return;
      case "ask_session":
        return this.#ask();
    }
  }

  #open(): Socket {
    const socket = this.#ports.openSocket({
      onOpen: () => {
        if (this.#socket === socket) this.dispatch({ kind: "opened" });
      },
      onMessage: (bytes) => {
        if (this.#socket === socket) this.#receive(bytes);
      },
      onClose: (code) => {
        if (this.#socket !== socket) return;
        this.#socket = undefined;
        this.dispatch({ kind: "closed", code });
      },
    });
    return socket;
  }

  #ask(): void {
    const question = ++this.#questions;
    const onAnswer = (answer: SessionAnswer): void => {
      if (question === this.#questions) this.dispatch({ kind: "session", answer });
    };
    void this.#ports.askSession().then(onAnswer);
  }

  #receive(bytes: Uint8Array): void {
    const message = decodeServerMessage(bytes);
    if (message.kind === "malformed") return this.dispatch({ kind: "garbled" });
    this.dispatch({ kind: "heard" });
    switch (message.kind) {
      case "welcome":
        this.dispatch({ kind: "welcomed", version: message.version, access: message.access });
        break;
      case "unavailable":
        this.dispatch({ kind: "unavailable", retryAfterMs: message.retryAfterMs });
        break;
      default:
    }
    this.#listener.onMessage(message);
  }

  #setTimer(): void {
    const at = dueAt(this.#state);
    if (at === this.#timerAt) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#timerAt = at;
    if (at === undefined) return;
    this.#stopTimer = this.#ports.setTimer(
      () => {
        this.#timerAt = undefined;
        this.dispatch({ kind: "time" });
      },
      Math.max(0, at - this.#ports.elapsed()),
    );
  }
}
