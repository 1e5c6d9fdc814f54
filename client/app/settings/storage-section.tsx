import { useEffect, useState } from "preact/hooks";
import {
  persistStorage,
  type StorageState,
  storageState,
} from "../../lib/browser/storage-state.ts";
import { wordsOfStatus } from "../page/status-words.ts";
import { useStatus } from "../page/use-status.ts";
import type { Workspace } from "../state/workspace.ts";

/** What this device keeps, and whether the browser may throw it away. */
export function StorageSection({ workspace }: { readonly workspace: Workspace }) {
  const status = useStatus(workspace.replica);
  const [state, setState] = useState<StorageState>();
  const [isRefused, setIsRefused] = useState(false);
  const words = wordsOfStatus(status, { nowMs: Date.now(), locale: undefined });

  useEffect(() => {
    void storageState().then(setState);
  }, []);

  async function persist(): Promise<void> {
    setIsRefused(!(await persistStorage()));
    setState(await storageState());
  }

  return (
    <section class="settings-section" aria-labelledby="settings-storage">
      <h3 id="settings-storage">This device</h3>
      <dl class="facts">
        <div>
          <dt>State</dt>
          <dd>{words.text}</dd>
        </div>
        <div>
          <dt>Lines</dt>
          <dd>{workspace.replica.outline.size.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Stored here</dt>
          <dd>{state?.usedBytes === undefined ? "unknown" : inMegabytes(state.usedBytes)}</dd>
        </div>
        <div>
          <dt>Kept for good</dt>
          <dd>
            {state?.persisted === true
              ? "yes, the browser keeps it until you delete it"
              : "no, the browser may delete it when the disk is full"}
          </dd>
        </div>
      </dl>
      {state?.persisted === false && (
        <button type="button" class="button" onClick={() => void persist()}>
          Ask the browser to protect it
        </button>
      )}
      {isRefused && (
        <p class="hint" role="status">
          The browser does not agree yet. Installing the app, or using it for a while, usually
          helps.
        </p>
      )}
    </section>
  );
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`;
}
