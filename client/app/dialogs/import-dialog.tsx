import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { plainText } from "../../../src/core/text/rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import type { OutlineEntry, ReadResult } from "../../../src/formats/outline-entry.ts";
import { formatOfFileName, type OutlineFormat } from "../../../src/formats/outline-format.ts";
import { wayBack } from "../commands/delete-commands.ts";
import { isDone } from "../commands/outcome.ts";
import { shortened, titleOf } from "../page/node-names.ts";
import { countOf } from "../page/status-words.ts";
import { isTouch } from "../state/is-touch.ts";
import { ChoiceGroup } from "./choice-group.tsx";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { FORMAT_CHOICES } from "./format-names.ts";
import { formatOfText, readImport, textOfFile } from "./read-import.ts";

const PREVIEW_LINES = 8;
const NOT_TEXT: ReadResult = {
  kind: "broken",
  reason: "this can’t be read as a text in UTF-8 or UTF-16",
};
const EMPTY: ReadResult = { kind: "broken", reason: "there is nothing in the file" };

/** Adds what is in a file or a pasted text: all of it or, when it is broken, nothing. */
export function ImportDialog({ workspace, request, close }: DialogProps<"import">) {
  const { replica, notices, rows, focus } = workspace;
  const picker = useRef<HTMLInputElement>(null);
  /** The file that was chosen last: a large one may be read later than the next. */
  const taken = useRef<File>(undefined);
  const [text, setText] = useState<string | undefined>("");
  const [fileName, setFileName] = useState<string>();
  const [chosen, setChosen] = useState<OutlineFormat>();
  const format = chosen ?? formatOfFileName(fileName ?? "") ?? formatOfText(text ?? "");
  const result = useMemo(() => {
    if (text === undefined) return NOT_TEXT;
    if (text.trim() !== "") {
      return readImport(text, format, () => replica.outline.freeKey());
    }
    return fileName === undefined ? undefined : EMPTY;
  }, [text, format, fileName]);
  const into = titleOf(replica.outline, request.into);

  useEffect(() => void take(request.file), [request.file]);

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    taken.current = file;
    const content = await readFile(file);
    if (taken.current !== file) return;
    setFileName(file.name);
    setChosen(undefined);
    setText(content);
  }

  function add(entries: readonly OutlineEntry[]): void {
    const outcome = replica.edits.insert(entries, { parent: request.into, position: "bottom" });
    if (outcome.kind === "not_found") {
      notices.warn(`“${into}” is no longer there. Nothing was imported.`);
      return;
    }
    if (!isDone(workspace, outcome)) return;
    const [first] = outcome.keys;
    close(true);
    if (first !== undefined) {
      const shown = rows.reveal(first);
      // Once the window is gone. A finger wants no keyboard.
      if (!isTouch()) queueMicrotask(() => focus.caret(shown, "start"));
    }
    notices.show(
      `Imported ${countOf(entries.length, "line")} into ${shortened(into, 40)}`,
      wayBack(workspace),
    );
  }

  return (
    <Dialog label={`Import into ${shortened(into, 40)}`} close={close}>
      <div
        class="dialog-form"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <div class="import-source">
          <button type="button" class="button" autofocus onClick={() => picker.current?.click()}>
            Choose a file…
          </button>
          <span class="hint">
            {fileName ?? "OPML, markdown, text or JSON. Or drop it here, or paste below."}
          </span>
          <input
            ref={picker}
            type="file"
            class="visually-hidden"
            tabIndex={-1}
            aria-label="File to import"
            accept=".opml,.xml,.md,.markdown,.txt,.text,.json,.backup"
            onChange={(event) => {
              void take(event.currentTarget.files?.[0]);
              // The same file may be chosen again when it has been mended.
              event.currentTarget.value = "";
            }}
          />
        </div>
        {fileName === undefined && (
          <textarea
            class="input import-text"
            aria-label="Text to import"
            placeholder="Paste an outline"
            rows={7}
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
        <ChoiceGroup label="Read as" value={format} choices={FORMAT_CHOICES} onChoose={setChosen} />
        <div aria-live="polite">
          <Outcome result={result} />
        </div>
      </div>
      <footer class="dialog-foot">
        <button type="button" class="button" data-tone="quiet" onClick={() => close()}>
          Cancel
        </button>
        <button
          type="button"
          class="button"
          data-tone="main"
          disabled={result?.kind !== "read" || result.entries.length === 0}
          onClick={() => result?.kind === "read" && add(result.entries)}
        >
          {result?.kind === "read" ? `Import ${countOf(result.entries.length, "line")}` : "Import"}
        </button>
      </footer>
    </Dialog>
  );
}

/** Undefined when it is no text, or gone, or a folder. */
async function readFile(file: File): Promise<string | undefined> {
  try {
    return textOfFile(new Uint8Array(await file.arrayBuffer()));
  } catch {
    return undefined;
  }
}

function Outcome({ result }: { readonly result: ReadResult | undefined }) {
  if (result === undefined) return null;
  if (result.kind === "broken") {
    return (
      <p class="problem">
        Nothing is imported{result.place && `: ${result.place} is broken`}: {result.reason}.
      </p>
    );
  }
  const { entries } = result;
  return (
    <ul class="preview import-preview" role="list" aria-label="Beginning of what is imported">
      {entries.slice(0, PREVIEW_LINES).map((entry, index) => (
        <li key={index} style={{ paddingInlineStart: `${Math.min(entry.depth, 8) * 1.2}rem` }}>
          {shortened(plainText(richTextOfHtml(entry.name)), 70) || "…"}
        </li>
      ))}
      {entries.length > PREVIEW_LINES && (
        <li class="hint">and {countOf(entries.length - PREVIEW_LINES, "more line")}</li>
      )}
    </ul>
  );
}
