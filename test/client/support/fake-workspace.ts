import { LATER_COMMANDS } from "../../../client/app/commands/later-commands.ts";
import { findRows } from "../../../client/app/search/find-rows.ts";
import type { DialogRequest } from "../../../client/app/dialogs/dialog-request.ts";
import type { Place } from "../../../client/app/outline/rows/place.ts";
import type { Notice, NoticeAction, Notices } from "../../../client/app/page/notices.ts";
import type { Preferences } from "../../../client/app/settings/preferences.ts";
import {
  createWorkspace,
  type WorkspaceParts,
} from "../../../client/app/state/create-workspace.ts";
import { FollowedNames } from "../../../client/app/state/followed-names.ts";
import { Cell } from "../../../client/app/state/source.ts";
import type { Workspace } from "../../../client/app/state/workspace.ts";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { HandClock } from "../../support/lab.ts";
import { type Keys, type Notation, plant } from "../../support/outline-notation.ts";
import { fakeReplica, type MemoryReplica } from "./fake-replica.ts";

/** Notices that are kept as they were said. */
export class HeardNotices implements Notices {
  readonly shown = new Cell<readonly Notice[]>([]);
  readonly announced: string[] = [];

  show(text: string, action?: NoticeAction): void {
    this.#add("plain", text, action);
  }

  warn(text: string, action?: NoticeAction): void {
    this.#add("warning", text, action);
  }

  dismiss(id: number): void {
    this.shown.set(this.shown.get().filter((notice) => notice.id !== id));
  }

  announce(text: string): void {
    this.announced.push(text);
  }

  #add(tone: Notice["tone"], text: string, action: NoticeAction | undefined): void {
    const before = this.shown.get();
    this.shown.set([...before, { id: before.length, text, tone, action }]);
  }
}

/** An address with a way back, in memory. */
export class MemoryPlace implements Place {
  readonly #steps: { readonly key: NodeKey; readonly query: string }[] = [{ key: ROOT, query: "" }];
  readonly #listeners = new Set<() => void>();
  #at = 0;

  read(): NodeKey {
    return this.#steps[this.#at]?.key ?? ROOT;
  }

  query(): string {
    return this.#steps[this.#at]?.query ?? "";
  }

  go(key: NodeKey, replaces: boolean, query = ""): void {
    if (key === this.read() && query === this.query()) return;
    if (!replaces) this.#at += 1;
    this.#steps.splice(this.#at, Infinity, { key, query });
  }

  back(): void {
    this.#at = Math.max(0, this.#at - 1);
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** What a workspace needs besides a replica, all in memory. */
export function fakeParts(replica: MemoryReplica): Omit<WorkspaceParts, "notices"> & {
  readonly notices: HeardNotices;
} {
  const preferences: Preferences = {
    theme: new Cell<"system" | "light" | "dark">("system"),
    textSize: new Cell<"small" | "medium" | "large">("medium"),
    hidesCompleted: new Cell<boolean>(false),
    dimsOthers: new Cell<boolean>(false),
    showsPlaces: new Cell<boolean>(true),
  };
  return {
    replica,
    records: replica.records,
    preferences,
    find: findRows,
    names: FollowedNames,
    dialog: new Cell<DialogRequest | undefined>(undefined),
    notices: new HeardNotices(),
  };
}

/** A workspace on a planted outline, and what a test looks at. */
export interface Desk {
  readonly workspace: Workspace;
  readonly notices: HeardNotices;
  readonly place: MemoryPlace;
  readonly replica: MemoryReplica;
  readonly clock: HandClock;
  readonly key: (name: string) => NodeKey;
}

export async function openDesk(notation: Notation): Promise<Desk> {
  const clock = new HandClock();
  const replica = fakeReplica(clock.now);
  const keys: Keys = plant(replica.outline, notation);
  const place = new MemoryPlace();
  const parts = fakeParts(replica);
  const workspace = await createWorkspace({ ...parts, place, isMac: false });
  workspace.commands.add(LATER_COMMANDS);
  return {
    workspace,
    notices: parts.notices,
    place,
    replica,
    clock,
    key(name) {
      const key = keys[name];
      if (key === undefined) throw new Error(`nothing is called ${name}`);
      return key;
    },
  };
}
