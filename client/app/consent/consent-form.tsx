import { useState } from "preact/hooks";
import { ChoiceGroup } from "../dialogs/choice-group.tsx";
import type { Asked, Decision, FoundPart } from "./consent-api.ts";
import { PartChoice } from "./part-choice.tsx";

const DAY_S = 24 * 60 * 60;
const SPANS = [
  { value: "week", label: "A week", days: 7 },
  { value: "quarter", label: "90 days", days: 90 },
  { value: "year", label: "A year", days: 365 },
  { value: "revoked", label: "Until revoked", days: undefined },
] as const;

type Span = (typeof SPANS)[number]["value"];

/** What a program may do, chosen by the person: the least first. */
export function ConsentForm({
  asked,
  ask,
  isBusy,
  now,
  onDecide,
}: {
  readonly asked: Asked;
  readonly ask: typeof fetch;
  readonly isBusy: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onDecide: (decision: Decision) => void;
}) {
  const [scope, setScope] = useState<"read" | "write">("read");
  const [reach, setReach] = useState<"all" | "part">("all");
  const [part, setPart] = useState<FoundPart | undefined>();
  const [span, setSpan] = useState<Span>("quarter");
  const lacksPart = reach === "part" && part === undefined;

  function allow(): void {
    if (lacksPart || isBusy) return;
    onDecide({
      allow: true,
      scope,
      ...(reach === "part" && part !== undefined && { root_id: part.id }),
      expiresAt: expiryOf(span, now(), asked.expiresAt),
    });
  }

  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        allow();
      }}
    >
      <ChoiceGroup
        label="It may"
        value={scope}
        choices={[
          { value: "read", label: "Only read" },
          ...(asked.scope === "write"
            ? [{ value: "write" as const, label: "Read, write and delete" }]
            : []),
        ]}
        onChoose={setScope}
      />
      <ChoiceGroup
        label="It sees"
        value={reach}
        choices={[
          { value: "all", label: "The whole outline" },
          { value: "part", label: "A part" },
        ]}
        onChoose={setReach}
      />
      {reach === "part" && <PartChoice ask={ask} part={part} onChoose={setPart} />}
      <ChoiceGroup label="For" value={span} choices={SPANS} onChoose={setSpan} />
      <div class="dialog-foot">
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => onDecide({ allow: false })}
        >
          Don’t allow
        </button>
        <button
          type="submit"
          class="button"
          data-tone="main"
          aria-busy={isBusy}
          disabled={lacksPart || isBusy}
        >
          Allow
        </button>
      </div>
    </form>
  );
}

/** Unix seconds, no later than the key of this browser; undefined: as long as that. */
function expiryOf(span: Span, now: number, last: number | undefined): number | undefined {
  const days = SPANS.find(({ value }) => value === span)?.days;
  if (days === undefined) return undefined;
  const wanted = Math.floor(now / 1000) + days * DAY_S;
  return last === undefined ? wanted : Math.min(wanted, last);
}
