import { expect } from "vitest";
import type { TestService } from "../support/service.ts";

/** A request as a program sends it, without the address of the server and the key. */
export type Sent = readonly [method: "GET" | "POST" | "DELETE", path: string, body?: object];

/** A node that a program knows by its id, or by its short id. */
export interface Place {
  readonly id: string;
  readonly tag: string;
}

const PLACES = ["projects", "garden", "dig", "kitchen", "paint", "other", "thought"] as const;

export type Places = Readonly<Record<(typeof PLACES)[number], Place>>;

/** What a command, or a tool, of a program does with a server. */
export interface Recorded {
  /** As it is typed, or called. */
  readonly command: string;
  /** Its requests, one after the other; all of them have to be answered 200. */
  readonly sends: (at: Places) => readonly Sent[];
  /** What it makes of the answers, in their order. */
  readonly reads?: (answers: readonly unknown[], at: Places) => void;
  /** What is in the outline then, see `outlineOf`; as before when not given. */
  readonly leaves?: string;
}

const PLANTED = [
  {
    op: "create",
    as: "$projects",
    name: "Projects",
    note: "all of them",
    position: "bottom",
    children: [
      {
        as: "$garden",
        name: "Garden",
        layoutMode: "todo",
        note: "in spring",
        children: [{ as: "$dig", name: "dig" }],
      },
      {
        as: "$kitchen",
        name: "Kitchen &amp; &lt;hall&gt;",
        layoutMode: "h2",
        children: [{ as: "$paint", name: "paint #now", layoutMode: "todo", completed: true }],
      },
    ],
  },
  { op: "create", as: "$other", name: "Other", position: "bottom" },
  { op: "create", as: "$thought", name: "a thought", parent_id: "inbox" },
];

/** What is planted, as `outlineOf` writes it. */
export const BEFORE = "Projects(Garden(dig) Kitchen & <hall>(paint #now!)) Other | a thought";

export interface Program {
  readonly key: string;
  readonly at: Places;
  readonly send: (sent: Sent) => Promise<unknown>;
  /**
   * The names of what is at the top level, of what is below each, and behind a `|` of what is in the
   * inbox. A `!` stands behind what is completed, an `=` and the note behind what has another than planted.
   */
  readonly outlineOf: () => Promise<string>;
}

/**
 * Somebody whose outline has something in it, and a shortcut `work`.
 * @param headers that the program sends with each request, by its method
 */
export async function programOf(
  service: TestService,
  user: string,
  headers: (method: string) => Readonly<Record<string, string>>,
): Promise<Program> {
  const { key } = await service.newUser(user);
  const send = async ([method, path, body]: Sent): Promise<unknown> => {
    const answer = await service.request(method, path, body && JSON.stringify(body), {
      key,
      headers: headers(method),
    });
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 200, answer.body]);
    return answer.body;
  };
  const planted = (await send(["POST", "/api/v1/batch", { operations: PLANTED }])) as {
    readonly handles: Readonly<Record<string, string>>;
  };
  const at = Object.fromEntries(
    PLACES.map((name) => {
      const id = planted.handles[`$${name}`] ?? "";
      return [name, { id, tag: id.slice(-12) }];
    }),
  ) as Places;
  await send(["POST", "/api/v1/targets", { key: "work", id: at.projects.id }]);
  return {
    key,
    at,
    send,
    async outlineOf() {
      const { nodes } = (await send(["GET", "/api/v1/nodes-export"])) as {
        readonly nodes: readonly Told[];
      };
      const sketch = (parent: string | null): string =>
        nodes
          .filter(({ id, parent_id }) => parent_id === parent && !isSystemNode(id))
          .toSorted((left, right) => left.priority - right.priority)
          .map((node) => `${plain(node.name)}${marksOf(node)}${below(sketch(node.id))}`)
          .join(" ");
      const inbox = nodes.find(({ id }) => id.endsWith(INBOX));
      return `${sketch(null)} | ${sketch(inbox?.id ?? "")}`;
    },
  };
}

const INBOX = "000000000001";

/** The inbox, the calendar and what is of it. */
function isSystemNode(id: string): boolean {
  return id.slice(-INBOX.length).startsWith("0000");
}

interface Told {
  readonly id: string;
  readonly name: string;
  readonly note: string | null;
  readonly parent_id: string | null;
  readonly priority: number;
  readonly completed: boolean;
}

const PLANTED_NOTES: ReadonlySet<string | null> = new Set([null, "all of them", "in spring"]);

function marksOf({ completed, note }: Told): string {
  return `${completed ? "!" : ""}${PLANTED_NOTES.has(note) ? "" : `=${note}`}`;
}

function below(sketch: string): string {
  return sketch === "" ? "" : `(${sketch})`;
}

/** The letters of a name or a note, as programs that show no formats read them. */
export function plain(html: string): string {
  return html
    .replaceAll(/<br *\/?>/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}
