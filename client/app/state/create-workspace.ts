import type { NodeKey } from "../../../src/core/node-key.ts";
import type { TreeRow } from "../../../src/core/tree-row.ts";
import type { DeviceRecords } from "../../lib/device-records.ts";
import type { Replica } from "../../lib/replica.ts";
import { parseQuery } from "../../../src/core/search/parse-query.ts";
import { searchOutline } from "../../../src/core/search/search-outline.ts";
import { isMacintosh } from "../commands/key-combination.ts";
import { LiveCommands } from "../commands/live-commands.ts";
import { OUTLINE_COMMANDS } from "../commands/outline-commands.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import { Folds } from "../outline/folds.ts";
import { HashPlace } from "../outline/hash-place.ts";
import { LiveFocus } from "../outline/live-focus.ts";
import { LiveRows } from "../outline/live-rows.ts";
import { NodeWatch } from "../outline/node-facts.ts";
import type { Place } from "../outline/place.ts";
import type { Notices } from "../page/notices.ts";
import type { Preferences } from "../settings/preferences.ts";
import { FollowedNames } from "./followed-names.ts";
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
  /** Whether `Mod` is Cmd; the page's machine says it unless given. */
  readonly isMac?: boolean;
}

/** Puts together what the app shares while an outline is open; resolves when the folds are read. */
export async function createWorkspace(parts: WorkspaceParts): Promise<Workspace> {
  const { replica, preferences, place = new HashPlace(window) } = parts;
  const folds = await Folds.open(parts.records);
  const focus = new LiveFocus(replica);
  const nodes = new NodeWatch(replica);
  const rows = new LiveRows({
    outline: () => replica.outline,
    folds,
    place,
    hidesCompleted: preferences.hidesCompleted,
    find: (query, from) => found(replica, query, from),
    caret: (key) => focus.caret(key, "end"),
  });
  const names = new FollowedNames({ replica, focus, records: parts.records });
  const stopReplaced = replica.onReplaced(() => {
    names.renew();
    rows.renew();
    nodes.renew();
  });
  const commands = new LiveCommands(() => workspace, parts.isMac ?? isMacintosh(navigator));
  commands.add(OUTLINE_COMMANDS);
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
      stopReplaced();
      names.close();
      rows.close();
      nodes.close();
    },
  };
  return workspace;
}

function found({ outline }: Replica, query: string, from: NodeKey): readonly TreeRow[] {
  const context = { nowMs: outline.now(), timezone: outline.settings().timezone };
  return searchOutline(outline, parseQuery(query, context), from).matches;
}
