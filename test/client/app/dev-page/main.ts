import { h, render } from "preact";
import { Outliner } from "../../../../client/app/outline/outliner.tsx";
import { createWorkspace } from "../../../../client/app/state/create-workspace.ts";
import { Cell } from "../../../../client/app/state/source.ts";
import type { Workspace } from "../../../../client/app/state/workspace.ts";
import { fakeReplica } from "../../support/fake-replica.ts";
import { fakeParts } from "../../support/fake-workspace.ts";
import { plantSample, plantMany } from "./sample.ts";

/** The outliner alone, on an outline without a server: `?nodes=100000` for a large one. */
declare global {
  interface Window {
    workspace: Workspace;
  }
}

const replica = fakeReplica(() => Date.now());
const asked = new URLSearchParams(location.search).get("nodes");
if (asked === null) plantSample(replica.outline);
else plantMany(replica.outline, Number(asked));
const place = document.getElementById("app");
const workspace = await createWorkspace({ ...fakeParts(replica), dialog: new Cell(undefined) });
window.workspace = workspace;
if (place !== null) render(h(Outliner, { workspace }), place);
