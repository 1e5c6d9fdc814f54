/** What is read of an answer, in this order. */
export interface AnswerParts {
  readonly head: (head: AnswerHead) => void;
  readonly body: (bytes: Buffer) => void;
  /** @param bytes the last of the body, where it is known to be that */
  readonly end: (bytes?: Buffer) => void;
}

export interface AnswerHead {
  readonly status: number;
  readonly message: string;
  /** In the form of Node's `rawHeaders`. */
  readonly headers: readonly string[];
  /** Whether nothing more can be asked on the connection. */
  readonly isLast: boolean;
}

/** Of a head, and of a line of a body in chunks. */
const MOST_BYTES = 64 * 1024;

/** What comes next. */
type Next = "head" | "body" | "size" | "chunk" | "gap" | "trailer" | "nothing";

/**
 * Reads one answer after the other from a connection to another process of the service, which says of
 * each how long it is, or sends it in chunks.
 */
export class AnswerReader {
  readonly #parts: AnswerParts;
  #next: Next = "nothing";
  #isBodiless = false;
  /** Of the body, or of a chunk of it. */
  #bytesLeft = 0;
  /** Begins what is not complete yet. */
  #held: Buffer | undefined;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Another answer follows. @param isBodiless whether it has no body, whatever it says */
  expect(isBodiless: boolean): void {
    this.#next = "head";
    this.#isBodiless = isBodiless;
  }

  /** @throws Error for what no process says */
  read(bytes: Buffer): void {
    let rest = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = undefined;
    while (rest.length > 0) {
      const taken = this.#take(rest);
      if (taken === 0) {
        if (rest.length > MOST_BYTES) throw new Error("a head or a line is too long");
        this.#held = rest;
        return;
      }
      rest = rest.subarray(taken);
    }
  }

  /** @returns how much of it is read; 0 when more is needed */
  #take(bytes: Buffer): number {
    if (this.#next === "nothing") throw new Error("nothing was asked");
    if (this.#next === "body" || this.#next === "chunk") return this.#takeBody(bytes);
    const mark = this.#next === "head" ? "\r\n\r\n" : "\r\n";
    const end = bytes.indexOf(mark);
    if (end === -1) return 0;
    const text = bytes.toString("latin1", 0, end);
    if (this.#next === "head") this.#takeHead(text.split("\r\n"));
    else this.#takeLine(text);
    return end + mark.length;
  }

  #takeHead(lines: readonly string[]): void {
    const [, code, message = ""] = /^HTTP\/1\.1 ([0-9]{3})(?: (.*))?$/.exec(lines[0] ?? "") ?? [];
    if (code === undefined) throw new Error("not an answer");
    const status = Number(code);
    const headers: string[] = [];
    let length: number | undefined;
    let isInChunks = false;
    let isLast = false;
    for (let at = 1; at < lines.length; at += 1) {
      const line = lines[at] ?? "";
      const colon = line.indexOf(":");
      if (colon < 1) throw new Error("not a header");
      const name = line.slice(0, colon);
      const value = line.slice(colon + 1).trim();
      headers.push(name, value);
      switch (name.toLowerCase()) {
        case "content-length":
          length = numberIn(value, 10);
          break;
        case "transfer-encoding":
          isInChunks = value === "chunked";
          break;
        case "connection":
          isLast = value === "close";
      }
    }
    // It is said before the answer, and nobody has asked for it.
    if (status < 200) return;
    this.#parts.head({ status, message, headers, isLast });
    if (this.#isBodiless || status === 204 || status === 304 || length === 0) this.#end();
    else if (isInChunks) this.#next = "size";
    else if (length === undefined) throw new Error("the length is not known");
    else {
      this.#next = "body";
      this.#bytesLeft = length;
    }
  }

  #takeBody(bytes: Buffer): number {
    const taken = bytes.length > this.#bytesLeft ? bytes.subarray(0, this.#bytesLeft) : bytes;
    this.#bytesLeft -= taken.length;
    if (this.#bytesLeft > 0) this.#parts.body(taken);
    else if (this.#next === "body") this.#end(taken);
    else {
      this.#next = "gap";
      this.#parts.body(taken);
    }
    return taken.length;
  }

  /** Of what is around the chunks of a body. */
  #takeLine(line: string): void {
    if (this.#next === "size") {
      this.#bytesLeft = numberIn(line, 16);
      this.#next = this.#bytesLeft === 0 ? "trailer" : "chunk";
    } else if (this.#next === "gap") {
      if (line !== "") throw new Error("a chunk is longer than it says");
      this.#next = "size";
    } else if (line === "") this.#end();
  }

  #end(bytes?: Buffer): void {
    this.#next = "nothing";
    this.#parts.end(bytes);
  }
}

function numberIn(text: string, base: 10 | 16): number {
  const isNumber = (base === 10 ? /^[0-9]{1,15}$/ : /^[0-9a-f]{1,12}$/i).test(text);
  if (!isNumber) throw new Error("not a number");
  return Number.parseInt(text, base);
}
