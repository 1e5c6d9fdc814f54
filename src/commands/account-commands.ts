import { LAST_EXPIRY } from "../accounts/account-store.ts";
import {
  type Command,
  type CommandContext,
  flagText,
  USER_FLAG,
  UsageError,
  userOf,
} from "./command.ts";
import { printable } from "./printable.ts";
import { runOperation } from "./run-operation.ts";

const DAY_S = 24 * 60 * 60;

export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: "user add",
    arguments: ["NAME"],
    summary: "Adds a user and prints the first key, which is shown this once",
    options: ["data"],
    need: "begin",
    async run(context) {
      const [user = ""] = context.arguments;
      await runOperation(
        context,
        "user-add",
        { user },
        { onItem: ({ key }) => show(context, key) },
      );
      return 0;
    },
  },
  {
    name: "user list",
    arguments: [],
    summary: "Lists users: name, outline, created",
    options: ["data"],
    async run(context) {
      const onItem = (item: { user: string; outline: string; createdAt: number }): void =>
        writeRow(context, [item.user, item.outline, momentText(item.createdAt)]);
      await runOperation(context, "user-list", {}, { onItem });
      return 0;
    },
  },
  {
    name: "user remove",
    arguments: ["NAME"],
    summary: "Removes a user with all keys and the whole outline, for good",
    options: ["data"],
    async run(context) {
      const [user = ""] = context.arguments;
      await runOperation(context, "user-remove", { user });
      return 0;
    },
  },
  {
    name: "key add",
    arguments: [],
    summary: "Makes a key and prints it, this once",
    options: ["data"],
    flags: {
      ...USER_FLAG,
      name: { value: "TEXT", meaning: "What the key is for; default: made by the command" },
      scope: { value: "SCOPE", meaning: "write or read; default: write" },
      root: { value: "REF", meaning: "Limit the key to a node and what is below it" },
      expires: { value: "WHEN", meaning: "A date such as 2027-01-31, or days such as 90d" },
    },
    async run(context) {
      const scope = flagText(context, "scope") ?? "write";
      if (scope !== "read" && scope !== "write") throw new UsageError("--scope is read or write.");
      const root = flagText(context, "root");
      const expires = flagText(context, "expires");
      const params = {
        user: userOf(context),
        name: flagText(context, "name") ?? "made by the command",
        scope,
        ...(root !== undefined && { root }),
        ...(expires !== undefined && { expiresAt: expiryOf(expires, context.now()) }),
      } as const;
      await runOperation(context, "key-add", params, {
        onItem: ({ id, key }) => {
          context.err.write(`The id of the key is ${id}.\n`);
          show(context, key);
        },
      });
      return 0;
    },
  },
  {
    name: "key list",
    arguments: [],
    summary: "Lists keys: id, scope, limited to, created, last used, expires, name, made with",
    options: ["data"],
    flags: USER_FLAG,
    async run(context) {
      await runOperation(
        context,
        "key-list",
        { user: userOf(context) },
        {
          onItem: ({ id, scope, root, createdAt, lastUsedAt, expiresAt, name, maker }) =>
            writeRow(context, [
              id,
              scope,
              root ?? "-",
              ...[createdAt, lastUsedAt, expiresAt].map(momentText),
              name,
              maker ?? "-",
            ]),
        },
      );
      return 0;
    },
  },
  {
    name: "key revoke",
    arguments: ["ID"],
    summary: "Revokes a key with all that were made with it; what uses them is cut off at once",
    options: ["data"],
    flags: USER_FLAG,
    async run(context) {
      const [id = ""] = context.arguments;
      await runOperation(context, "key-revoke", { user: userOf(context), id });
      return 0;
    },
  },
  {
    name: "session list",
    arguments: [],
    summary: "Lists signed-in browsers: id, key, created, last used, expires, browser",
    options: ["data"],
    flags: USER_FLAG,
    async run(context) {
      await runOperation(
        context,
        "session-list",
        { user: userOf(context) },
        {
          onItem: ({ id, key, createdAt, lastUsedAt, expiresAt, browser }) =>
            writeRow(context, [
              id,
              key,
              ...[createdAt, lastUsedAt, expiresAt].map(momentText),
              browser,
            ]),
        },
      );
      return 0;
    },
  },
  {
    name: "session end",
    arguments: ["ID"],
    summary: "Signs a browser out at once, or every one of the user with `all` for the ID",
    options: ["data"],
    flags: USER_FLAG,
    async run(context) {
      const [id = ""] = context.arguments;
      const params = { user: userOf(context), id: id === ALL ? null : id };
      await runOperation(context, "session-end", params);
      return 0;
    },
  },
];

const ALL = "all";

function show({ out, err }: CommandContext, key: string): void {
  err.write("This is the key. It is stored nowhere and not shown again:\n");
  out.write(`${key}\n`);
}

/** Fields with tabs between, for `cut` and `awk`. */
function writeRow({ out }: CommandContext, fields: readonly string[]): void {
  const cells = fields.map((field) => printable(field.replaceAll(/[\t\n]/g, " ")));
  out.write(`${cells.join("\t")}\n`);
}

/** Total: of what expires later than any moment that can be written, the last one. */
function momentText(seconds: number | null): string {
  if (seconds === null) return "-";
  return `${new Date(Math.min(seconds, LAST_EXPIRY) * 1000).toISOString().slice(0, 19)}Z`;
}

const DAYS = /^([1-9][0-9]{0,4})d$/;
const MOMENT =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/;

/** Unix seconds of a date (its start, in UTC), of a moment, or so many days from now. */
function expiryOf(text: string, nowMs: number): number {
  const days = DAYS.exec(text)?.[1];
  if (days !== undefined) return Math.floor(nowMs / 1000) + Number(days) * DAY_S;
  const date = MOMENT.exec(text)?.[1];
  const moment = date !== undefined && isDate(date) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) {
    throw new UsageError("--expires is a date such as 2027-01-31, or days such as 90d.");
  }
  if (moment <= nowMs) throw new UsageError("--expires is in the past.");
  return Math.floor(moment / 1000);
}

/** `Date` takes February 30 for March 2. */
function isDate(text: string): boolean {
  const start = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text);
}
