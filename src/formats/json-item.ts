import { DEFAULT_LAYOUT, isLayout, type Layout } from "../core/layout.ts";
import { JsonObject, type JsonValue } from "./json-reader.ts";
import type { OutlineEntry } from "./outline-entry.ts";
import { unixTimeOf } from "./unix-time.ts";
import { wishedKeyOf } from "./wished-key.ts";

/** Of the flat form (the API's export) and of the nested one (account backups). */
export const ITEM_MEMBERS: readonly string[] = [
  "id",
  "parent_id",
  "priority",
  "name",
  "note",
  "data",
  "layoutMode",
  "completed",
  "completedAt",
  "createdAt",
  "modifiedAt",
  "nm",
  "no",
  "ch",
  "children",
  "cp",
  "ct",
  "lm",
  "metadata",
];

/** These are texts wherever they stand. */
const TEXT_MEMBERS = ["id", "parent_id", "name", "nm", "note", "no"];

/** A node of a JSON file, before its place in the tree is known. */
export interface JsonItem {
  readonly kind: "item";
  readonly entry: Omit<OutlineEntry, "depth">;
  readonly line: number;
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly priority: number;
  readonly children: readonly JsonValue[];
}

/** A backup counts its times from the day its account was opened: smaller numbers say nothing. */
const FIRST_TIME_OF_BACKUP = 1_000_000_000;

type Members = JsonObject["members"];

export function isNestedItem({ members }: JsonObject): boolean {
  return "nm" in members || "ch" in members || "children" in members;
}

export function jsonItemOf({
  members,
  line,
}: JsonObject): JsonItem | { readonly kind: "bad"; readonly reason: string } {
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
    },
    line,
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
  const layout =
    holder instanceof JsonObject ? holder.members["layoutMode"] : members["layoutMode"];
  return isLayout(layout) ? layout : DEFAULT_LAYOUT;
}

function completionOf(members: Members): OutlineEntry["completedAt"] {
  const exact =
    unixTimeOf(members["completedAt"]) ?? unixTimeOf(members["cp"], FIRST_TIME_OF_BACKUP);
  const isCompleted = (members["completed"] ?? members["cp"] ?? false) !== false;
  return exact ?? (isCompleted ? "unknown" : undefined);
}
