import { followClipboard } from "../clipboard/follow-clipboard.ts";
import { SlashMenu } from "../commands/slash-menu.tsx";
import { SlashState } from "../commands/slash-state.ts";
import { PhoneBar } from "../phone-bar.tsx";
import { followGlow } from "../search/glow.ts";
import { Backlinks } from "./backlinks.tsx";
import { BulletMenu } from "./bullet-menu.tsx";
import { DropLine } from "./drop-line.tsx";
import type { Keyboard } from "./keyboard.ts";
import type { OutlineScreen } from "./outline-screen.ts";
import { Pointer } from "./pointer.ts";

/** What helps with writing, and comes right behind the outline: mouse and finger, menus, clipboard. */
export class OutlineAids {
  readonly #screen: OutlineScreen;
  readonly #pointer: Pointer;
  readonly #slash: SlashState;
  readonly #stops: readonly (() => void)[];

  constructor(screen: OutlineScreen, root: HTMLElement, keyboard: Keyboard) {
    this.#screen = screen;
    this.#pointer = new Pointer(screen);
    this.#slash = new SlashState(screen.workspace);
    keyboard.slash = this.#slash;
    this.#stops = [
      this.#pointer.listen(root),
      this.#slash.listen(root),
      followClipboard(screen, document, keyboard),
      followGlow(screen.workspace, root),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#slash.close();
  }

  /** What is shown among the rows. */
  amongRows() {
    return <DropLine pointer={this.#pointer} />;
  }

  /** What is shown over the page. */
  overPage() {
    const { workspace } = this.#screen;
    return (
      <>
        <Backlinks workspace={workspace} />
        <BulletMenu workspace={workspace} pointer={this.#pointer} />
        <SlashMenu slash={this.#slash} />
        <PhoneBar workspace={workspace} />
      </>
    );
  }
}
