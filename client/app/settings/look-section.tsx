import { ChoiceGroup } from "../dialogs/choice-group.tsx";
import { useSource } from "../state/use-source.ts";
import type { Preferences } from "./preferences.ts";

/** How this device shows the outline. */
export function LookSection({ preferences }: { readonly preferences: Preferences }) {
  const theme = useSource(preferences.theme);
  const textSize = useSource(preferences.textSize);
  return (
    <section class="settings-section" aria-labelledby="settings-look">
      <h3 id="settings-look">Look</h3>
      <ChoiceGroup
        label="Colours"
        value={theme}
        choices={[
          { value: "system", label: "As the system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        onChoose={(value) => preferences.theme.set(value)}
      />
      <ChoiceGroup
        label="Text"
        value={textSize}
        choices={[
          { value: "small", label: "Small" },
          { value: "medium", label: "Medium" },
          { value: "large", label: "Large" },
        ]}
        onChoose={(value) => preferences.textSize.set(value)}
      />
    </section>
  );
}
