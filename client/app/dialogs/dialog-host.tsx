import type { FunctionComponent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Command } from "../commands/command.ts";
import { loadMarkdown } from "../late/late-names.ts";
import { focusAgain, type KeptFocus, keptFocus } from "../outline/focus/kept-focus.ts";
import { tellPartMissing } from "../page/part-missing.ts";
import type { RecentNodes } from "../page/recent-nodes.ts";
import { useRenew } from "../state/use-renew.ts";
import { useSource } from "../state/use-source.ts";
import { whenIdle } from "../state/when-idle.ts";
import type { Workspace } from "../state/workspace.ts";
import type { DialogProps } from "./dialog-props.ts";
import type { DialogRequest } from "./dialog-request.ts";

type Kind = DialogRequest["kind"];
type Loaders = { readonly [K in Kind]: () => Promise<FunctionComponent<DialogProps<K>>> };
type AnyDialog = FunctionComponent<DialogProps<Kind>>;

/** Loaded when they are first asked for; a service worker has them, so offline too. */
const LOADERS: Loaders = {
  jump: () => import("./jump-dialog.tsx").then((module) => module.JumpDialog),
  move: () => import("./move-dialog.tsx").then((module) => module.MoveDialog),
  palette: () => import("./palette-dialog.tsx").then((module) => module.PaletteDialog),
  trash: () => import("./trash-dialog.tsx").then((module) => module.TrashDialog),
  import: () => import("./import-dialog.tsx").then((module) => module.ImportDialog),
  export: () => import("./export-dialog.tsx").then((module) => module.ExportDialog),
  settings: () => import("../settings/settings-dialog.tsx").then((module) => module.SettingsDialog),
  help: () => import("./help-dialog.tsx").then((module) => module.HelpDialog),
  capture: async () => {
    // What is captured may be markdown.
    const [module] = await Promise.all([import("./capture-dialog.tsx"), loadMarkdown()]);
    return module.CaptureDialog;
  },
  link: () => import("./link-dialog.tsx").then((module) => module.LinkDialog),
  date: () => import("./date-dialog.tsx").then((module) => module.DateDialog),
  star: () => import("./star-dialog.tsx").then((module) => module.StarDialog),
  sign_in: () => import("../sign-in/sign-in-dialog.tsx").then((module) => module.SignInDialog),
};

/** Those that a person goes on typing into: they are fetched before they are asked for. */
const TYPED_INTO: readonly Kind[] = ["jump", "palette", "move", "capture", "link", "date", "star"];

/** Those that are here: they are shown before the next key, so that it is theirs. */
const fetched = new Map<Kind, AnyDialog>();

/** Shows the dialog that is asked for, and puts the caret back where it was when that is done. */
export function DialogHost({
  workspace,
  recent,
  signOut,
}: {
  readonly workspace: Workspace;
  readonly recent: RecentNodes;
  readonly signOut: () => Promise<void>;
}) {
  const request = useSource(workspace.dialog);
  const renew = useRenew();
  const Shown = request && fetched.get(request.kind);
  const before = useRef<{ readonly focus: KeptFocus }>(undefined);

  // At once: who types quickly has taken what they want before an effect behind the drawing runs.
  useLayoutEffect(() => {
    if (request === undefined) return;
    before.current ??= { focus: keptFocus(workspace.replica, workspace.focus.state.get()) };
  }, [request]);

  useEffect(() => {
    if (request === undefined || Shown !== undefined) return;
    let isWanted = true;
    const show = async (): Promise<void> => {
      await load(request.kind, workspace);
      if (isWanted) renew();
    };
    void show();
    return () => {
      isWanted = false;
    };
  }, [request]);

  useEffect(() => whenIdle(() => TYPED_INTO.forEach((kind) => void fetchAhead(kind))), []);

  if (request === undefined || Shown === undefined) return null;
  const close = (keepsFocus = false): void => {
    // A dialog may have opened another one in its place.
    if (workspace.dialog.get() === request) workspace.dialog.set(undefined);
    const kept = before.current?.focus;
    before.current = undefined;
    // The window is gone by then.
    if (!keepsFocus) queueMicrotask(() => focusAgain(workspace, kept));
  };
  const run = (command: Command): void => {
    close();
    // Behind the focus, and behind the caret, which follows it in a step of its own.
    queueMicrotask(() => queueMicrotask(() => runCommand(workspace, command)));
  };
  return (
    <Shown
      key={request}
      workspace={workspace}
      recent={recent}
      request={request}
      signOut={signOut}
      close={close}
      run={run}
    />
  );
}

async function fetchAhead(kind: Kind): Promise<void> {
  try {
    await fetchDialog(kind);
  } catch {
    // It is fetched again, and the person told, when it is asked for.
  }
}

async function load(kind: Kind, workspace: Workspace): Promise<void> {
  try {
    await fetchDialog(kind);
  } catch {
    workspace.dialog.set(undefined);
    tellPartMissing(workspace.notices);
  }
}

/** What is asked for is checked by the type of `LOADERS`: the kind chooses the component. */
async function fetchDialog(kind: Kind): Promise<void> {
  fetched.set(kind, (await LOADERS[kind]()) as AnyDialog);
}

function runCommand({ commands, notices }: Workspace, { id, label }: Command): void {
  if (commands.run(id)) return;
  notices.warn(`“${label}” is not possible here any more.`);
}
