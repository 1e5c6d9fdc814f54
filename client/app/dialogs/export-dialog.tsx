import { useMemo, useState } from "preact/hooks";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { FILE_TYPES, fileNameOf, type OutlineFormat } from "../../../src/formats/outline-format.ts";
import { shortened, titleOf } from "../page/node-names.ts";
import { ChoiceGroup } from "./choice-group.tsx";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { exportOutline } from "./export-outline.ts";
import { FORMAT_CHOICES, FORMATS } from "./format-names.ts";

const LONGEST_PREVIEW = 1500;

/** Writes all of the outline, or the part that is zoomed, to a file or the clipboard. */
export function ExportDialog({ workspace, request, close }: DialogProps<"export">) {
  const { replica, notices } = workspace;
  const { outline } = replica;
  const [from, setFrom] = useState<NodeKey>(request.from);
  const [format, setFormat] = useState<OutlineFormat>("opml");
  const text = useMemo(() => exportOutline(outline, from, format), [outline, from, format]);

  function download(): void {
    const url = URL.createObjectURL(new Blob([text], { type: FILE_TYPES[format].type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = fileNameOf(titleOf(outline, from), format);
    link.click();
    // The browser has begun to read it by then; without this it would stay in memory.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      notices.show("Copied to the clipboard");
    } catch {
      notices.warn("The browser does not allow copying. Download it instead.");
    }
  }

  return (
    <Dialog label="Export" close={close}>
      <div class="dialog-form">
        {request.from !== ROOT && (
          <ChoiceGroup
            label="What"
            value={from}
            choices={[
              { value: request.from, label: shortened(titleOf(outline, request.from), 40) },
              { value: ROOT, label: "The whole outline" },
            ]}
            onChoose={setFrom}
          />
        )}
        <ChoiceGroup label="As" value={format} choices={FORMAT_CHOICES} onChoose={setFormat} />
        <p class="hint">{FORMATS[format].about}</p>
        <pre class="preview" tabIndex={0} aria-label="Beginning of the file">
          {text.slice(0, LONGEST_PREVIEW)}
          {text.length > LONGEST_PREVIEW && "…"}
        </pre>
      </div>
      <footer class="dialog-foot">
        <button type="button" class="button" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" class="button" data-tone="main" autofocus onClick={download}>
          Download
        </button>
      </footer>
    </Dialog>
  );
}
