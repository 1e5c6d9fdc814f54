import { useEffect, useId, useState } from "preact/hooks";
import { ChoiceGroup } from "../dialogs/choice-group.tsx";
import { Entry } from "../dialogs/entry.tsx";
import { SureButton } from "../dialogs/sure-button.tsx";
import type { Workspace } from "../state/workspace.ts";
import { createKey, type ListedKey, listKeys, type MadeKey, revokeKey } from "./api-keys.ts";
import { type ApiOutcome, problemOf } from "./call-api.ts";

const AWAY = "Keys are kept on the server, which can't be reached now.";

/** API keys: what there is, a new one, and taking one back. Needs the server. */
export function KeysSection({ workspace }: { readonly workspace: Workspace }) {
  const id = useId();
  const [listed, setListed] = useState<ApiOutcome<readonly ListedKey[]>>();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<"read" | "write">("write");
  const [made, setMade] = useState<MadeKey>();
  const [problem, setProblem] = useState("");

  useEffect(() => {
    void renew();
  }, []);

  async function renew(): Promise<void> {
    setListed(await listKeys(fetch));
  }

  async function make(): Promise<void> {
    const outcome = await createKey(fetch, name, scope);
    if (outcome.kind === "done") {
      setMade(outcome.value);
      setName("");
    }
    setProblem(problemOf(outcome, AWAY));
    await renew();
  }

  async function revoke(key: ListedKey): Promise<void> {
    const outcome = await revokeKey(fetch, key.id);
    setProblem(problemOf(outcome, AWAY));
    if (outcome.kind === "done") {
      if (key.id === made?.id) setMade(undefined);
      workspace.notices.announce(`Revoked the key ${key.name}`);
    }
    await renew();
  }

  return (
    <section class="settings-section" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>Keys</h3>
      <p class="hint">
        A key opens your outline on another device or in a program. Revoking one signs out the
        browsers that use it, within a second, and revokes the keys that were made there; what was
        written there stays on that device.
      </p>
      {listed?.kind === "done" && (
        <ul class="entry-list" role="list">
          {listed.value.map((key) => (
            <Entry key={key.id} title={key.name} detail={aboutKey(key)}>
              <SureButton
                label="Revoke"
                sureLabel="Really revoke"
                name={key.name}
                act={() => void revoke(key)}
              />
            </Entry>
          ))}
        </ul>
      )}
      {listed !== undefined && listed.kind !== "done" && (
        <p class="dialog-note">{problemOf(listed, AWAY)}</p>
      )}
      {made !== undefined && (
        <div class="made-key" role="status">
          <p>This is the new key. It is shown only now:</p>
          <code class="made-key-text" tabIndex={0}>
            {made.key}
          </code>
          <p>To sign in another device of yours, open this link there:</p>
          <code class="made-key-text" tabIndex={0}>
            {`${location.origin}/#key=${made.key}`}
          </code>
        </div>
      )}
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <div class="field">
          <label for={id}>New key for</label>
          <input
            id={id}
            class="input"
            type="text"
            placeholder="phone, script, …"
            autocomplete="off"
            required
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </div>
        <ChoiceGroup
          label="It may"
          value={scope}
          choices={[
            { value: "write", label: "Read and write" },
            { value: "read", label: "Only read" },
          ]}
          onChoose={setScope}
        />
        <button type="submit" class="button">
          Make a key
        </button>
      </form>
      <p class="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}

function aboutKey({ scope, isPartial, createdAt, lastUsedAt }: ListedKey): string {
  const may = scope === "read" ? "reads" : "reads and writes";
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
  const used = lastUsedAt === undefined ? "never used" : `used ${day.format(lastUsedAt * 1000)}`;
  const part = isPartial ? " a part" : "";
  return `${may}${part}, made ${day.format(createdAt * 1000)}, ${used}`;
}
