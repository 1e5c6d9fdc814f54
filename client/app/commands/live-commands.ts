import type { Workspace } from "../state/workspace.ts";
import type { Command, CommandRegistry } from "./command.ts";
import { type KeyPress, labelOfCombination, matchesCombination } from "./key-combination.ts";
import { targetOf } from "./target.ts";

/** All commands of an open workspace. */
export class LiveCommands implements CommandRegistry {
  readonly #byId = new Map<string, Command>();
  readonly #workspace: () => Workspace;
  readonly #isMac: boolean;

  constructor(workspace: () => Workspace, isMac: boolean) {
    this.#workspace = workspace;
    this.#isMac = isMac;
  }

  get all(): readonly Command[] {
    return [...this.#byId.values()];
  }

  add(commands: readonly Command[]): void {
    for (const command of commands) {
      const known = this.#byId.get(command.id) ?? command;
      if (known !== command) throw new Error(`two commands are called ${command.id}`);
      this.#byId.set(command.id, command);
    }
  }

  get(id: string): Command | undefined {
    return this.#byId.get(id);
  }

  run(id: string): boolean {
    const command = this.#byId.get(id);
    const workspace = this.#workspace();
    const target = targetOf(workspace.focus.state.get());
    if (command?.isEnabled(workspace, target) !== true) return false;
    const done = command.run(workspace, target);
    done?.catch(() => workspace.notices.warn(`“${command.label}” did not work.`));
    return true;
  }

  *forKey(press: KeyPress): Generator<Command> {
    const workspace = this.#workspace();
    const target = targetOf(workspace.focus.state.get());
    for (const command of this.#byId.values()) {
      const keys = this.#keysOf(command);
      if (!keys.some((each) => matchesCombination(press, each, this.#isMac))) continue;
      if (command.isEnabled(workspace, target)) yield command;
    }
  }

  keyLabel(command: Command | undefined): string | undefined {
    return command && this.keyLabels(command)[0];
  }

  keyLabels(command: Command): readonly string[] {
    return this.#keysOf(command).map((each) => labelOfCombination(each, this.#isMac));
  }

  #keysOf({ keys = [], macKeys = keys }: Command): readonly string[] {
    return this.#isMac ? macKeys : keys;
  }
}
