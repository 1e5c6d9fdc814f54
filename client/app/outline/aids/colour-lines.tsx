import {
  COLOURS,
  COLOUR_KINDS,
  type Colour,
  type ColourKind,
  valueOfColour,
} from "../../commands/colour-commands.ts";
import "./colour-lines.css";

/** All colours to choose from, a line for letters and one for what is behind them. */
export function ColourLines({
  role,
  paint,
}: {
  readonly role?: "menuitem";
  readonly paint: (kind: ColourKind, colour: Colour) => void;
}) {
  return (
    <>
      {COLOUR_KINDS.map(({ kind, label }) => (
        <div key={kind} class="colour-line" role="group" aria-label={label}>
          {COLOURS.map((colour) => (
            <button
              key={colour}
              type="button"
              role={role}
              tabIndex={-1}
              aria-label={`${colour} ${label}`}
              title={`${colour} ${label}`}
              onClick={() => paint(kind, colour)}
            >
              <span class="rich-text">
                <span data-colours={valueOfColour(kind, colour)}>a</span>
              </span>
            </button>
          ))}
        </div>
      ))}
    </>
  );
}
