import { useId, useState } from "preact/hooks";
import { shortened, titleOf } from "../page/node-names.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { lineStarredAs, starOf, suggestedStar } from "./star-name.ts";

/** A star, with the short name by which programs reach the node too. */
export function StarDialog({ workspace, request, close }: DialogProps<"star">) {
  const { outline, edits } = workspace.replica;
  const id = useId();
  const [starred] = useState(() => starOf(outline, request.key));
  const [name, setName] = useState(() => starred ?? suggestedStar(outline, request.key));
  const [problem, setProblem] = useState("");

  function save(): void {
    const holder = lineStarredAs(outline, name);
    if (holder !== undefined && outline.heldBy(holder) !== outline.heldBy(request.key)) {
      setProblem(`“${shortened(titleOf(outline, holder), 40)}” is called that.`);
      return;
    }
    const outcome = edits.setShortcut(name, request.key);
    if (outcome.kind === "ok") {
      if (starred !== undefined && starred.toLowerCase() !== name.trim().toLowerCase()) {
        edits.removeShortcut(starred);
      }
      close();
    } else {
      setProblem(
        outcome.kind === "invalid_shortcut" ? outcome.reason : "That line is no longer there.",
      );
    }
  }

  return (
    <Dialog
      label={starred === undefined ? "Star" : "Starred"}
      size="small"
      onSubmit={save}
      close={close}
    >
      <p class="dialog-note">“{shortened(titleOf(outline, request.key), 80)}”</p>
      <div class="field">
        <label for={id}>Short name</label>
        <input
          id={id}
          class="input"
          type="text"
          autocomplete="off"
          spellcheck={false}
          autofocus
          value={name}
          aria-invalid={problem !== ""}
          aria-describedby={`${id}-hint`}
          onInput={(event) => {
            setName(event.currentTarget.value);
            setProblem("");
          }}
        />
        <p id={`${id}-hint`} class={problem === "" ? "hint" : "problem"}>
          {problem === "" ? "A short name of your own: programs can find the line by it." : problem}
        </p>
      </div>
      <footer class="dialog-foot">
        {starred !== undefined && (
          <button
            type="button"
            class="button"
            data-tone="danger"
            onClick={() => {
              edits.removeShortcut(starred);
              close();
            }}
          >
            Remove the star
          </button>
        )}
        <button type="submit" class="button" data-tone="main">
          {starred === undefined ? "Star" : "Save"}
        </button>
      </footer>
    </Dialog>
  );
}
