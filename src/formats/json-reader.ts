export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** An object with the members that were asked for, and the line on which it begins. */
export class JsonObject {
  readonly line: number;
  readonly members: Readonly<Record<string, JsonValue>>;

  constructor(line: number, members: Readonly<Record<string, JsonValue>>) {
    this.line = line;
    this.members = members;
  }
}

export type JsonResult =
  | { readonly kind: "read"; readonly value: JsonValue }
  | { readonly kind: "broken"; readonly line: number; readonly reason: string };

export interface JsonReaderOptions {
  /** Members of other names are checked and dropped. No name of `Object.prototype` may be in it. */
  readonly members: ReadonlySet<string>;
  readonly maxDepth: number;
  /** UTF-16 code units of one string. */
  readonly maxStringLength: number;
}

/** What may stand next. */
type Expected =
  | "a value"
  | "a value or ]"
  | "a member name"
  | "a member name or }"
  | ":"
  | ", or ]"
  | ", or }"
  | "the end of the file";

interface Container {
  /** Undefined below a member that is not kept. */
  readonly values: JsonValue[] | Record<string, JsonValue> | undefined;
  readonly isArray: boolean;
  readonly line: number;
  /** The member whose value comes next. */
  member: string;
}

const WHITESPACE = /[ \t\r\n]*/y;
/** Everything from the space on but `"` and `\`. */
const PLAIN_TEXT = /[ !#-[\]-\uffff]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const SCALAR = /[-+.0-9A-Za-z]*/y;
const MAX_SCALAR_LENGTH = 400;
const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/**
 * Reads one JSON text piece by piece (RFC 8259, as strict as `JSON.parse`). Beyond `JSON.parse` it
 * knows the line of every object and of a mistake, keeps only the members that are wanted, and
 * neither recurses nor grows on depth, so that a hostile file costs no more than its length.
 */
export class JsonReader {
  readonly #options: JsonReaderOptions;
  readonly #stack: Container[] = [];
  #expected: Expected = "a value";
  #result: JsonValue = null;
  #line = 1;
  #failure: { readonly line: number; readonly reason: string } | undefined;

  /** What of the last piece waits for more: a token that is cut at the end. */
  #rest = "";
  /** The decoded parts of the string under way; undefined between strings. */
  #string: string[] | undefined;
  #stringLength = 0;

  constructor(options: JsonReaderOptions) {
    this.#options = options;
  }

  push(piece: string): boolean {
    const text = this.#rest + piece;
    this.#rest = "";
    this.#scan(text, false);
    return this.#failure === undefined;
  }

  finish(): JsonResult {
    const rest = this.#rest;
    this.#rest = "";
    this.#scan(rest, true);
    if (this.#string !== undefined) this.#fail("the file ends inside a text");
    else if (this.#expected !== "the end of the file")
      this.#fail(`the file ends where ${this.#expected} should follow`);
    if (this.#failure !== undefined) return { kind: "broken", ...this.#failure };
    return { kind: "read", value: this.#result };
  }

  #fail(reason: string): void {
    this.#failure ??= { line: this.#line, reason };
  }

  #scan(text: string, isLast: boolean): void {
    let at = 0;
    while (this.#failure === undefined) {
      if (this.#string === undefined) at = this.#skipWhitespace(text, at);
      if (at >= text.length) return;
      const next =
        this.#string === undefined
          ? this.#scanToken(text, at, isLast)
          : this.#scanString(text, at, this.#string, isLast);
      if (next === undefined) {
        this.#rest = text.slice(at);
        return;
      }
      at = next;
    }
  }

  #skipWhitespace(text: string, from: number): number {
    WHITESPACE.lastIndex = from;
    WHITESPACE.test(text);
    const end = WHITESPACE.lastIndex;
    for (let at = from; at < end; at++) if (text.charAt(at) === "\n") this.#line++;
    return end;
  }

  /** @returns where the next token may begin; undefined when this one is cut */
  #scanToken(text: string, at: number, isLast: boolean): number | undefined {
    const first = text.charAt(at);
    switch (first) {
      case "{":
      case "[":
        this.#open(first === "[");
        return at + 1;
      case "}":
      case "]":
        this.#close(first);
        return at + 1;
      case ":":
        if (this.#expected === ":") this.#expected = "a value";
        else this.#unexpected(first);
        return at + 1;
      case ",":
        if (this.#expected === ", or ]") this.#expected = "a value";
        else if (this.#expected === ", or }") this.#expected = "a member name";
        else this.#unexpected(first);
        return at + 1;
      case '"':
        if (this.#expectsValue() || this.#expectsMember()) {
          this.#string = [];
          this.#stringLength = 0;
        } else this.#unexpected("a text");
        return at + 1;
      default:
        return this.#scanScalar(text, at, isLast);
    }
  }

  /** A number, `true`, `false` or `null`. */
  #scanScalar(text: string, at: number, isLast: boolean): number | undefined {
    SCALAR.lastIndex = at;
    SCALAR.test(text);
    const end = SCALAR.lastIndex;
    const isCut = end === text.length && !isLast;
    if (isCut && end - at <= MAX_SCALAR_LENGTH) return undefined;
    const word = text.slice(at, end);
    const value = WORDS.get(word);
    if (value !== undefined) this.#addValue(value);
    else {
      NUMBER.lastIndex = 0;
      if (word.length <= MAX_SCALAR_LENGTH && NUMBER.test(word) && NUMBER.lastIndex === word.length)
        this.#addValue(Number(word));
      else this.#unexpected(word === "" ? text.charAt(at) : word.slice(0, 20));
    }
    return end;
  }

  /** @param at inside the string, behind what `parts` holds */
  #scanString(text: string, at: number, parts: string[], isLast: boolean): number | undefined {
    PLAIN_TEXT.lastIndex = at;
    PLAIN_TEXT.test(text);
    const end = PLAIN_TEXT.lastIndex;
    if (end > at) {
      parts.push(text.slice(at, end));
      this.#stringLength += end - at;
      if (this.#stringLength > this.#options.maxStringLength) {
        this.#fail(`a text of over ${this.#options.maxStringLength} characters`);
      }
      return end;
    }
    const first = text.charAt(at);
    if (first === '"') {
      this.#string = undefined;
      this.#endString(parts.length === 1 ? (parts[0] ?? "") : parts.join(""));
      return at + 1;
    }
    if (first !== "\\") {
      this.#fail(first === "\n" ? "a line break inside a text" : "a control character in a text");
      return at + 1;
    }
    const kind = text.charAt(at + 1);
    const length = kind === "u" ? 6 : 2;
    if (at + length > text.length && !isLast) return undefined;
    const decoded = kind === "u" ? decodeUnit(text.slice(at + 2, at + 6)) : ESCAPES.get(kind);
    if (decoded === undefined) this.#fail("a backslash with nothing valid after it");
    else parts.push(decoded);
    this.#stringLength += 1;
    return at + length;
  }

  #expectsValue(): boolean {
    return this.#expected === "a value" || this.#expected === "a value or ]";
  }

  #expectsMember(): boolean {
    return this.#expected === "a member name" || this.#expected === "a member name or }";
  }

  #unexpected(found: string): void {
    this.#fail(`${found} where ${this.#expected} should stand`);
  }

  #endString(text: string): void {
    if (this.#expectsMember()) {
      const container = this.#stack.at(-1);
      if (container !== undefined) container.member = text;
      this.#expected = ":";
    } else this.#addValue(text);
  }

  /** Whether what comes next is wanted. */
  #isKept(): boolean {
    const container = this.#stack.at(-1);
    if (container === undefined) return true;
    if (container.values === undefined) return false;
    return container.isArray || this.#options.members.has(container.member);
  }

  #open(isArray: boolean): void {
    if (!this.#expectsValue()) return this.#unexpected(isArray ? "[" : "{");
    if (this.#stack.length >= this.#options.maxDepth) {
      return this.#fail(`more than ${this.#options.maxDepth} levels of brackets`);
    }
    const values = this.#isKept() ? (isArray ? [] : {}) : undefined;
    this.#stack.push({ values, isArray, line: this.#line, member: "" });
    this.#expected = isArray ? "a value or ]" : "a member name or }";
  }

  #close(bracket: "}" | "]"): void {
    const container = this.#stack.at(-1);
    const wanted: readonly Expected[] =
      bracket === "]" ? ["a value or ]", ", or ]"] : ["a member name or }", ", or }"];
    if (container === undefined || !wanted.includes(this.#expected)) {
      return this.#unexpected(bracket);
    }
    this.#stack.pop();
    const { values, line } = container;
    // The value's place was an allowed one when it was opened.
    this.#expected = "a value";
    if (values === undefined) this.#addValue(null);
    else this.#addValue(Array.isArray(values) ? values : new JsonObject(line, values));
  }

  #addValue(value: JsonValue): void {
    if (!this.#expectsValue()) return this.#unexpected(JSON.stringify(value).slice(0, 20));
    const container = this.#stack.at(-1);
    if (container === undefined) {
      this.#result = value;
      this.#expected = "the end of the file";
      return;
    }
    if (this.#isKept() && container.values !== undefined) {
      if (Array.isArray(container.values)) container.values.push(value);
      else container.values[container.member] = value;
    }
    this.#expected = container.isArray ? ", or ]" : ", or }";
  }
}

function decodeUnit(digits: string): string | undefined {
  return /^[0-9a-fA-F]{4}$/.test(digits)
    ? String.fromCharCode(Number.parseInt(digits, 16))
    : undefined;
}
