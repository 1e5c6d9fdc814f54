import { useId, useRef } from "preact/hooks";
import { OTHER_COMMANDS } from "../commands/later-commands.ts";
import type { Workspace } from "../state/workspace.ts";
import { Icon } from "./icon.tsx";

/** What the menu offers; a gap between groups. The commands themselves have label and key. */
const GROUPS: readonly (readonly string[])[] = [
  ["page.capture", "page.today", "page.jump", "page.palette"],
  ["view.hideCompleted", "page.trash"],
  ["page.import", "page.export", "page.print"],
  ["page.settings", "page.help"],
];

/** Everything that is not about the node at hand. */
export function PageMenu({ workspace }: { readonly workspace: Workspace }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { commands } = workspace;
  commands.add(OTHER_COMMANDS);

  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || list.current === null) return;
    event.preventDefault();
    const items = [...list.current.querySelectorAll<HTMLElement>("[role=menuitem]")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  }

  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Menu"
        aria-haspopup="menu"
        popovertarget={id}
      >
        <Icon name="more" />
      </button>
      <div
        id={id}
        ref={list}
        popover="auto"
        class="popover menu"
        role="menu"
        aria-label="Menu"
        onKeyDown={move}
        onToggle={(event) => {
          if (event.newState === "open") {
            list.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
          }
        }}
      >
        {GROUPS.map((ids) => (
          <div key={ids[0]} class="menu-group" role="group">
            {ids.map((each) => {
              const command = commands.get(each);
              return command === undefined ? null : (
                <button
                  key={each}
                  type="button"
                  role="menuitem"
                  class="menu-item"
                  onClick={() => {
                    list.current?.hidePopover();
                    commands.run(each);
                  }}
                >
                  <span>{command.label}</span>
                  <kbd class="key">{commands.keyLabel(command)}</kbd>
                </button>
              );
            })}
          </div>
        ))}
      </div>
    </>
  );
}
