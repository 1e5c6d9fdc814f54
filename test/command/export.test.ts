import { Writable } from "node:stream";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { COMMANDS } from "../../src/commands/commands.ts";
import { runCommand } from "../../src/commands/run-command.ts";
import { ProgressBar } from "../../src/commands/run-operation.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { soloOutline } from "../support/lab.ts";
import { FakeChannel } from "./fake-channel.ts";
import { NOW } from "./invoke.ts";

class Output extends Writable {
  readonly isTTY: boolean;
  text = "";

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** What the export of an outline writes whose only name has been written by another program. */
async function exported(
  name: string,
  format: string,
  isTerminal: boolean,
  ...flags: readonly string[]
): Promise<string> {
  const outline = soloOutline();
  const key = outline.createPlain({ parent: ROOT, name: [] });
  nodesOf(outline.doc).get(key)?.insert(0, name);
  const update = Y.encodeStateAsUpdate(outline.doc);
  const channel = new FakeChannel({ state: { items: [{ outline: outline.id }, { update }] } });
  const out = new Output(isTerminal);
  const code = await runCommand(COMMANDS, {
    out,
    err: new Output(false),
    arguments: ["export", "--user", "a", "--format", format, ...flags],
    environment: {},
    version: "1.2.3",
    now: () => NOW,
    openChannel: () => Promise.resolve(channel),
  });
  expect(code).toBe(0);
  return out.text;
}

const NAME = "a\u009b31m\u001b[0m\u0007 \u2067\u05d0\u2069 \u202eb\u202c";

test.each(["json", "opml", "markdown", "text"])(
  "[X33, C5] an export as %s has no control characters, and on a terminal no mark of direction",
  async (format) => {
    const written = await exported(NAME, format, false);
    expect(written).not.toMatch(/[^\P{Cc}\n]/u);
    expect(written).toContain("\u2067\u05d0\u2069 \u202eb\u202c");
    const shown = await exported(NAME, format, true);
    expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(shown).toContain("\ufffd\u05d0\ufffd");
  },
);

test("[C12] - as the output is standard output, as it is standard input of an import", async () => {
  expect(await exported("milk", "text", false, "--output", "-")).toBe("milk\n");
});

test("[C4] a bar of progress sets nothing of a terminal that would have to be set back", () => {
  const err = new Output(true);
  const progress = new ProgressBar({ err }, "Reading");
  progress.update(1, 2);
  // Here the command is broken off.
  expect(err.text).toMatch(/Reading .* 1 of 2/);
  expect(err.text).not.toContain("\u001b[?");
  progress.stop();
});
