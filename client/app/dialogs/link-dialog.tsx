import { useId, useState } from "preact/hooks";
import { allowedHref } from "../../../src/core/text/href.ts";
import { isDone } from "../commands/outcome.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { markedRange } from "./marked-range.ts";

/** The address that a text leads to. */
export function LinkDialog({ workspace, request, close }: DialogProps<"link">) {
  const { edits } = workspace.replica;
  const id = useId();
  const [address, setAddress] = useState(request.href);
  const [isRefused, setIsRefused] = useState(false);

  function link(): void {
    const href = hrefOf(address);
    if (href === undefined) {
      setIsRefused(true);
      return;
    }
    close();
    const range = markedRange(workspace, request.place);
    if (range === undefined) return;
    const { key, part, from, to } = range;
    const insert = { at: from, remove: 0, insert: address.trim(), formats: { a: href } };
    isDone(
      workspace,
      from === to
        ? edits.type(key, part, insert)
        : edits.format(key, part, { from, to }, "a", href),
    );
  }

  function unlink(): void {
    close();
    const range = markedRange(workspace, request.place);
    if (range === undefined) return;
    isDone(workspace, edits.format(range.key, range.part, range, "a", null));
  }

  return (
    <Dialog label="Link" size="small" onSubmit={link} close={close}>
      <div class="field">
        <label for={id}>Address</label>
        <input
          id={id}
          class="input"
          type="text"
          inputmode="url"
          autocapitalize="none"
          spellcheck={false}
          placeholder="https://…"
          autofocus
          value={address}
          aria-invalid={isRefused}
          aria-describedby={`${id}-problem`}
          onInput={(event) => {
            setAddress(event.currentTarget.value);
            setIsRefused(false);
          }}
        />
        <p id={`${id}-problem`} class="problem" role="alert">
          {isRefused && "An address begins with http, https or mailto, or leads to a line: #/…"}
        </p>
      </div>
      <footer class="dialog-foot">
        {request.href !== "" && (
          <button type="button" class="button" data-tone="danger" onClick={unlink}>
            Remove the link
          </button>
        )}
        <button type="submit" class="button" data-tone="main">
          Link
        </button>
      </footer>
    </Dialog>
  );
}

/** What a person means by `example.org` is a web page. */
function hrefOf(address: string): string | undefined {
  const text = address.trim();
  const isBareDomain = /^[\w-]+(?:\.[\w-]+)+(?:[/?#:].*)?$/.test(text);
  const isMail = /^[^\s@/]+@[^\s@/][^\s@/.]*\.[^\s@/]+$/.test(text);
  return allowedHref(isMail ? `mailto:${text}` : isBareDomain ? `https://${text}` : text);
}
