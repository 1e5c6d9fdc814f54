import { followClipboard } from "../../clipboard/follow-clipboard.ts";
import { COLOUR_COMMANDS } from "../../commands/colour-commands.ts";
import { OTHER_COMMANDS } from "../../commands/later-commands.ts";
import { SlashMenu } from "../../commands/slash-menu.tsx";
import { SlashState } from "../../commands/slash-state.ts";
import { SORT_COMMANDS } from "../../commands/sort-commands.ts";
import { PhoneBar } from "../../phone-bar.tsx";
import { followGlow } from "../../search/glow.ts";
import { BacklinkCount, SHOW_BACKLINKS } from "./backlink-count.tsx";
import { Backlinks } from "./backlinks.tsx";
import { followBlankPresses } from "../gestures/blank-press.ts";
import { BulletMenu } from "./bullet-menu.tsx";
import { CaretTravel } from "../focus/caret-travel.ts";
import { tintChangedElsewhere } from "./changed-elsewhere.ts";
import { DropLine } from "../gestures/drop-line.tsx";
import type { Keyboard } from "../focus/keyboard.ts";
import type { OutlineScreen } from "../focus/outline-screen.ts";
import { followLostLinks } from "../rows/lost-links.ts";
import { Pointer } from "../gestures/pointer.ts";
import { followPlaces } from "../focus/follow-places.ts";
import { followDates } from "./said-dates.ts";
import { followSwipes } from "../gestures/swipe.ts";
import { TextBar } from "./text-bar.tsx";
import { SELECT_BY_TOUCH, selectByTouch } from "../gestures/touch-selection.ts";
import { typeAhead } from "../focus/typed-ahead.ts";
import { moveWithZoom } from "./zoom-motion.ts";

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
    screen.typed = () => this.#slash.typed();
    keyboard.travel = new CaretTravel(screen);
    const { commands } = screen.workspace;
    commands.add(OTHER_COMMANDS);
    commands.add([SELECT_BY_TOUCH, SHOW_BACKLINKS, ...COLOUR_COMMANDS, ...SORT_COMMANDS]);
    screen.beside.set((key) => <BacklinkCount workspace={screen.workspace} target={key} />);
    this.#stops = [
      followPlaces(screen),
      this.#pointer.listen(root),
      typeAhead(screen.workspace, document),
      followBlankPresses(screen, document),
      this.#slash.listen(root),
      followClipboard(screen, document, keyboard),
      followGlow(screen.workspace, root),
      selectByTouch(screen, root),
      followSwipes(screen.workspace, root),
      followLostLinks(screen.workspace, root),
      followDates(screen.workspace.replica, root),
      tintChangedElsewhere(screen.workspace.replica, root),
      moveWithZoom(screen),
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
        <TextBar workspace={workspace} />
        <PhoneBar workspace={workspace} />
      </>
    );
  }
}
