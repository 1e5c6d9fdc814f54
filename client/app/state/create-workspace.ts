import type { DeviceRecords } from "../../lib/device-records.ts";
import type { Replica } from "../../lib/replica.ts";
import { isMacintosh } from "../commands/key-combination.ts";
import { LiveCommands } from "../commands/live-commands.ts";
import { WRITING_COMMANDS } from "../commands/writing-commands.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import { Folds } from "../outline/rows/folds.ts";
import { HashPlace } from "../outline/rows/hash-place.ts";
import { Focus } from "../outline/focus/focus.ts";
import { LiveRows } from "../outline/rows/live-rows.ts";
import { NodeWatch } from "../outline/rows/node-facts.ts";
import type { Place } from "../outline/rows/place.ts";
import type { Notices } from "../page/notices.ts";
import { tellPartMissing } from "../page/part-missing.ts";
import type { FindRows } from "../search/find-rows.ts";
import type { Preferences } from "../settings/preferences.ts";
import type { FollowedNames } from "./followed-names.ts";
import type { Cell } from "./source.ts";
import type { Workspace } from "./workspace.ts";

export interface WorkspaceParts {
  readonly replica: Replica;
  readonly records: DeviceRecords;
  readonly preferences: Preferences;
  readonly dialog: Cell<DialogRequest | undefined>;
  readonly notices: Notices;
  /** Where the zoom is kept; the page's address unless given. */
  readonly place?: Place;
  /** What searches; fetched unless given. */
  readonly find?: FindRows;
  /** Lets links follow the names of lines; fetched unless given. */
  readonly names?: typeof FollowedNames;
  /** Whether `Mod` is Cmd; the page's machine says it unless given. */
  readonly isMac?: boolean;
}

/**
 * Puts together what the app shares while an outline is open; resolves when the folds are read, and
 * what searches where the address has a search.
 */
export async function createWorkspace(parts: WorkspaceParts): Promise<Workspace> {
  const { replica, preferences, place = new HashPlace(window) } = parts;
  let { find } = parts;
  const fetched = find === undefined ? fetchFind(parts.notices) : undefined;
  const folds = await Folds.open(parts.records);
  if (place.query() !== "") find ??= await fetched;
  const focus = new Focus(replica);
  const nodes = new NodeWatch(replica);
  const rows = new LiveRows({
    outline: () => replica.outline,
    folds,
    place,
    hidesCompleted: preferences.hidesCompleted,
    find: (query, from) => find?.(replica.outline, query, from),
    caret: (key) => focus.caret(key, "end"),
  });
  let names: FollowedNames | undefined;
  let isOpen = true;
  const followNames = async (): Promise<void> => {
    const Names = parts.names ?? (await import("./followed-names.ts")).FollowedNames;
    if (isOpen) names = new Names({ replica, focus, records: parts.records });
  };
  followNames().catch(() => tellPartMissing(parts.notices));
  const findLater = async (): Promise<void> => {
    const late = await fetched;
    if (find !== undefined || !isOpen) return;
    find = late;
    rows.renew();
  };
  void findLater();
  const stopReplaced = replica.onReplaced(() => rows.renew());
  const commands = new LiveCommands(() => workspace, parts.isMac ?? isMacintosh(navigator));
  commands.add(WRITING_COMMANDS);
  const workspace: Workspace = {
    replica,
    rows,
    focus,
    nodes,
    commands,
    dialog: parts.dialog,
    notices: parts.notices,
    preferences,
    close() {
      isOpen = false;
      stopReplaced();
      names?.close();
      rows.close();
      nodes.close();
    },
  };
  return workspace;
}

/** Undefined when it can't be had, which the person is told. */
async function fetchFind(notices: Notices): Promise<FindRows | undefined> {
  try {
    return (await import("../search/find-rows.ts")).findRows;
  } catch {
    tellPartMissing(notices);
    return undefined;
  }
}
