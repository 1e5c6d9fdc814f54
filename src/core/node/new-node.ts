import type { Destination } from "../tree/destinations.ts";
import type { Layout } from "./layout.ts";
import type { NodeKey } from "../node-key.ts";
import type { NewContent } from "./node-writer.ts";
import { draftsOfName } from "../text/name.ts";
import { richTextOfNote } from "../text/note.ts";
import type { RichText } from "../text/rich-text.ts";

export interface NewNode extends Destination {
  /** The text of the API: markdown, a prefix, and lines that become children. */
  readonly name: string;
  readonly note?: string | null | undefined;
  readonly layout?: Layout | undefined;
  readonly completed?: boolean | undefined;
}

type Drafts = ReturnType<typeof draftsOfName>;

/** What the lines of a new node's name say. */
export function draftsOf({ name, layout }: NewNode): Drafts {
  return draftsOfName(name, layout);
}

/** What a new node holds, and what those do that further lines of its name become. */
export function contentsOf(
  input: NewNode,
  [first, ...others]: Drafts,
  nowMs: number,
): readonly [NewContent, ...NewContent[]] {
  const completedAt = (done: boolean | undefined): number | null =>
    done === true ? Math.floor(nowMs / 1000) : null;
  return [
    {
      name: first.text,
      note: richTextOfNote(input.note ?? ""),
      layout: input.layout ?? first.layout,
      completedAt: completedAt(input.completed ?? first.completed),
    },
    ...others.map(({ text, layout, completed }) => ({
      name: text,
      layout,
      completedAt: completedAt(completed),
    })),
  ];
}

/** A node as an import brings it: nothing is interpreted, times (Unix seconds) are kept. */
export interface PlainNode extends Destination {
  readonly key?: NodeKey | undefined;
  /** What it is a mirror of, no mirror itself; then its name is empty. */
  readonly origin?: NodeKey | undefined;
  readonly name: RichText;
  readonly note?: RichText | undefined;
  readonly layout?: Layout | undefined;
  readonly createdAt?: number | undefined;
  readonly modifiedAt?: number | undefined;
  readonly completedAt?: number | null | undefined;
}

export interface Created {
  readonly kind: "created";
  readonly key: NodeKey;
}

export interface CreatedMirror extends Created {
  /** Which is no mirror itself. */
  readonly origin: NodeKey;
}
