import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import {
  formatOfFileName,
  isOutlineFormat,
  OUTLINE_FORMATS,
  type OutlineFormat,
} from "../formats/outline-format.ts";
import {
  type Command,
  type CommandContext,
  CommandError,
  flagText,
  USER_FLAG,
  UsageError,
  userOf,
} from "./command.ts";
import { printable } from "./printable.ts";
import { writeWhole } from "./write-whole.ts";

export const EXPORT_COMMAND: Command = {
  name: "export",
  arguments: [],
  summary: "Writes a user's outline to standard output or a file",
  options: ["data"],
  need: "read",
  flags: {
    ...USER_FLAG,
    format: {
      value: "FORMAT",
      meaning: `${OUTLINE_FORMATS.join(", ")}; default: by the output's name, else json`,
    },
    output: {
      value: "FILE",
      meaning: "Write to this file, which appears when it is complete; -: standard output",
    },
  },
  async run(context) {
    const output = flagText(context, "output");
    const format = formatOf(context, output);
    const user = userOf(context);
    // Other commands start faster without Yjs and the writers.
    const { exportedText } = await import("./exported-text.ts");
    const { text, size } = await exportedText(context, user, format);
    if (output === undefined || output === "-") {
      const shown = isTerminal(context.out) ? printed(text) : text;
      await pipeline(Readable.from(shown), context.out, { end: false });
    } else {
      await writeTo(output, text);
    }
    context.err.write(`Exported ${size} nodes.\n`);
    return 0;
  },
};

function formatOf(context: CommandContext, output: string | undefined): OutlineFormat {
  const asked = flagText(context, "format");
  if (asked === undefined) return formatOfFileName(output ?? "") ?? "json";
  if (!isOutlineFormat(asked)) {
    throw new UsageError(`--format is one of ${OUTLINE_FORMATS.join(", ")}.`);
  }
  return asked;
}

function isTerminal(out: NodeJS.WritableStream): boolean {
  return "isTTY" in out && out.isTTY === true;
}

/** What others have written is no command to a terminal; a file or a pipe gets it as it is. */
function* printed(text: Iterable<string>): Generator<string, void> {
  for (const piece of text) yield printable(piece);
}

async function writeTo(file: string, text: Iterable<string>): Promise<void> {
  try {
    await writeWhole(file, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${file} can't be written: ${reason}.`, { cause: error });
  }
}
