import { useEffect, useId, useState } from "preact/hooks";
import { type FoundPart, findParts } from "./consent-api.ts";

const PAUSE_MS = 250;

/** Finds the line to which a program is limited. */
export function PartChoice({
  ask,
  part,
  onChoose,
}: {
  readonly ask: typeof fetch;
  readonly part: FoundPart | undefined;
  readonly onChoose: (part: FoundPart | undefined) => void;
}) {
  const id = useId();
  const [words, setWords] = useState("");
  const [found, setFound] = useState<readonly FoundPart[]>([]);

  useEffect(() => {
    if (words.trim() === "") return setFound([]);
    let isWanted = true;
    const timer = setTimeout(() => {
      void findParts(ask, words.trim()).then((parts) => isWanted && setFound(parts));
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [ask, words]);

  if (part !== undefined) {
    return (
      <p class="entry">
        <span>
          Only <strong>{part.name}</strong> and what is below it
        </span>
        <button type="button" class="button" data-tone="quiet" onClick={() => onChoose(undefined)}>
          Change
        </button>
      </p>
    );
  }
  return (
    <div class="field">
      <label for={id}>Which part</label>
      <input
        id={id}
        class="input"
        type="search"
        placeholder="Words of the line it begins with"
        autocomplete="off"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <ul class="consent-found" role="list" aria-label="Lines found">
        {found.map((each) => (
          <li key={each.id}>
            <button type="button" class="consent-line" onClick={() => onChoose(each)}>
              <span>{each.name}</span>
              {each.path !== "" && <small>{each.path}</small>}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
