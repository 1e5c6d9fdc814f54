import { DEFAULT_LAYOUT, isLayout, type Layout } from "../core/node/layout.ts";
import type { NodeKey } from "../core/node-key.ts";
import type { OutlineEntry } from "./outline-entry.ts";
import { unixTimeOf } from "./unix-time.ts";
import { wishedKeyOf } from "./wished-key.ts";

/** These are texts wherever they stand. */
const TEXT_MEMBERS = ["id", "parent_id", "name", "nm", "note", "no"];

/** A node of a JSON file, before its place in the tree is known. */
export interface JsonItem {
  readonly kind: "item";
  readonly entry: Omit<OutlineEntry, "depth">;
  /** The number of the node in its file, from 1. */
  readonly number: number;
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly priority: number;
  readonly children: readonly unknown[];
}

/** A backup counts its times from the day its account was opened: smaller numbers say nothing. */
const FIRST_TIME_OF_BACKUP = 1_000_000_000;

/** The members of an object in the file, which may be of any name and kind. */
type Members = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isNestedItem(members: Members): boolean {
  return "nm" in members || "ch" in members || "children" in members;
}

/** Reads the node with this number. */
export function jsonItemOf(
  members: unknown,
  number: number,
): JsonItem | { readonly kind: "bad"; readonly reason: string } {
  if (!isJsonObject(members)) return { kind: "bad", reason: "no node" };
  const noText = TEXT_MEMBERS.find((member) => typeof (members[member] ?? "") !== "string");
  if (noText !== undefined) return { kind: "bad", reason: `${noText} is no text` };
  const children = members["ch"] ?? members["children"] ?? [];
  if (!Array.isArray(children)) return { kind: "bad", reason: "the children are no list" };

  const id = textOf(members, "id");
  const parent = textOf(members, "parent_id");
  const note = textOf(members, "note") ?? textOf(members, "no");
  const completedAt = completionOf(members);
  const createdAt =
    unixTimeOf(members["createdAt"]) ?? unixTimeOf(members["ct"], FIRST_TIME_OF_BACKUP);
  const modifiedAt =
    unixTimeOf(members["modifiedAt"]) ?? unixTimeOf(members["lm"], FIRST_TIME_OF_BACKUP);
  const key = wishedKeyOf(id ?? "");
  const origin = originOf(members);
  const priority = members["priority"];
  return {
    kind: "item",
    entry: {
      name: textOf(members, "name") ?? textOf(members, "nm") ?? "",
      layout: layoutOf(members),
      ...(note !== undefined && { note }),
      ...(completedAt !== undefined && { completedAt }),
      ...(createdAt !== undefined && { createdAt }),
      ...(modifiedAt !== undefined && { modifiedAt }),
      ...(key !== undefined && { key }),
      ...(origin !== undefined && { origin }),
    },
    number,
    id,
    parent: parent === "None" ? undefined : parent,
    priority: typeof priority === "number" ? priority : 0,
    children,
  };
}

/** An empty text counts as none. */
function textOf(members: Members, member: string): string | undefined {
  const value = members[member];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function layoutOf(members: Members): Layout {
  const holder = members["data"] ?? members["metadata"];
  const layout = (isJsonObject(holder) ? holder : members)["layoutMode"];
  return isLayout(layout) ? layout : DEFAULT_LAYOUT;
}

/** As the API's export says it: `{"mirror": {"origin_id": …}}`. */
function originOf({ data }: Members): NodeKey | undefined {
  const mirror = isJsonObject(data) ? data["mirror"] : undefined;
  const origin = isJsonObject(mirror) ? mirror["origin_id"] : undefined;
  return typeof origin === "string" ? wishedKeyOf(origin) : undefined;
}

function completionOf(members: Members): OutlineEntry["completedAt"] {
  const exact =
    unixTimeOf(members["completedAt"]) ?? unixTimeOf(members["cp"], FIRST_TIME_OF_BACKUP);
  const isCompleted = (members["completed"] ?? members["cp"] ?? false) !== false;
  return exact ?? (isCompleted ? "unknown" : undefined);
}
