import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { newNodeKey, type NodeKey } from "../core/node-key.ts";
import type { ImportLimits, OutlineReader, ReadResult } from "../formats/outline-entry.ts";
import {
  formatOfFileName,
  isOutlineFormat,
  OUTLINE_FORMATS,
  type OutlineFormat,
} from "../formats/outline-format.ts";
import {
  type Command,
  CommandError,
  type CommandContext,
  flagText,
  USER_FLAG,
  UsageError,
  userOf,
} from "./command.ts";
import { ProgressBar, runOperation } from "./run-operation.ts";
import { EncodingError, textPieces } from "./text-pieces.ts";

/** More levels make every change of the outline slow. */
const MAX_DEPTH = 10_000;

export const IMPORT_COMMAND: Command = {
  name: "import",
  arguments: ["FILE"],
  summary: "Adds the outline of a file, or of standard input (-): all of it or nothing",
  options: ["data", "maxImportBytes", "maxImportNodes", "maxTextBytes"],
  flags: {
    ...USER_FLAG,
    parent: { value: "REF", meaning: "Add it below this node; default: the top level" },
    format: {
      value: "FORMAT",
      meaning: `${OUTLINE_FORMATS.join(", ")}; default: by the file's name`,
    },
  },
  async run(context) {
    const [file = ""] = context.arguments;
    const { config } = context;
    const limits: ImportLimits = {
      maxNodes: config.maxImportNodes,
      maxDepth: MAX_DEPTH,
      maxTextBytes: config.maxTextBytes,
    };
    const format = formatOf(context, file);
    // Other commands start faster without the readers.
    const { readerOf } = await import("../formats/reader-of.ts");
    const read = await readFile(context, file, readerOf(format, limits, { newKey }));
    if (read.kind === "broken") {
      const place = read.place === undefined ? file : `${file}, ${read.place}`;
      throw new CommandError(`${place}: ${read.reason}. Nothing was imported.`);
    }
    const parent = flagText(context, "parent");
    const params = { user: userOf(context), ...(parent !== undefined && { parent }) };
    let added = 0;
    await runOperation(context, "import", params, {
      label: "Adding",
      input: read.entries,
      onItem: ({ nodes }) => {
        added = nodes;
      },
    });
    context.err.write(`Imported ${added} nodes.\n`);
    return 0;
  },
};

function newKey(): NodeKey {
  return newNodeKey(Math.random);
}

function formatOf(context: CommandContext, file: string): OutlineFormat {
  const asked = flagText(context, "format");
  const format = asked ?? formatOfFileName(file);
  if (format === undefined || !isOutlineFormat(format)) {
    const formats = OUTLINE_FORMATS.join(", ");
    throw new UsageError(
      asked === undefined
        ? `The name ${file} tells no format: say --format ${formats}.`
        : `--format is one of ${formats}.`,
    );
  }
  return format;
}

/** @throws CommandError for a file that can't be read or is too large */
async function readFile(
  context: CommandContext,
  file: string,
  reader: OutlineReader,
): Promise<ReadResult> {
  const progress = new ProgressBar(context, "Reading");
  try {
    for await (const text of textPieces(piecesOf(context, file, progress))) {
      if (!reader.push(text)) break;
    }
    return reader.finish();
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    return { kind: "broken", place: `line ${error.line}`, reason: error.message };
  } finally {
    progress.stop();
  }
}

/** The bytes of a file, up to the limit. */
async function* piecesOf(
  { config }: CommandContext,
  file: string,
  progress: ProgressBar,
): AsyncGenerator<Buffer, void, undefined> {
  const isStdin = file === "-";
  let done = 0;
  try {
    const total = isStdin ? undefined : (await stat(file)).size;
    const stream: AsyncIterable<Buffer> = isStdin ? process.stdin : createReadStream(file);
    for await (const bytes of stream) {
      done += bytes.length;
      if (Math.max(done, total ?? 0) > config.maxImportBytes) {
        const limit = `${config.maxImportBytes} bytes (OUTLINE_MAX_IMPORT_BYTES)`;
        throw new CommandError(`${file} has more than ${limit}. Nothing was imported.`);
      }
      if (total !== undefined) progress.update(done, total);
      yield bytes;
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${file} can't be read: ${reason}.`, { cause: error });
  }
}
