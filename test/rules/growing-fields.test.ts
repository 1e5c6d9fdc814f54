import { expect, test } from "vitest";
import { growingFieldsWithoutRow, sentenceOfField } from "./growing-fields.ts";

const ROWS = new Set(["Q1"]);

function fieldsIn(source: string): readonly string[] {
  return growingFieldsWithoutRow("a.ts", source, ROWS).map(({ field }) => field);
}

test("fields that may grow are found, however they say it", () => {
  const source = `
class Room {
  readonly #sessions = new Set<Session>();
  #waiting: Write[] = [];
  readonly #wakers: (() => void)[] = [];
  #kept: Map<string, Uint8Array> | undefined;
  readonly seen = newRecentMap<number>(5);
}
interface Holding {
  held: Batch[];
}
const ALL = new Map<string, string>();
`;
  expect(fieldsIn(source)).toEqual([
    "#sessions",
    "#waiting",
    "#wakers",
    "#kept",
    "seen",
    "held",
    "ALL",
  ]);
});

test("what can't grow, goes with its keys or ends with its function is none", () => {
  const source = `
class Room {
  readonly #ofSockets = new WeakMap<Socket, Room>();
  readonly names: readonly string[];
  readonly byKey: ReadonlyMap<string, string>;
  readonly #take: (names: readonly string[]) => string[];
  #count = 0;
  all(): string[] {
    const names: string[] = [];
    return names;
  }
}
const NAMES = new Set(["a", "b"]);
`;
  expect(fieldsIn(source)).toEqual([]);
});

test("a comment that names a row of the limits is what is asked for", () => {
  const source = `
class Room {
  /** Who is here. [Q1] */
  readonly #sessions = new Set<Session>();
  /**
   * Who was here.
   * [Q2]
   */
  readonly #departed = new Set<Session>();
}
`;
  const [finding, ...others] = growingFieldsWithoutRow("a.ts", source, ROWS);
  expect(others).toEqual([]);
  expect(finding && sentenceOfField(finding)).toBe(
    "a.ts:9: #departed names Q2, which is no row of the limits",
  );
});
