import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A component that is fetched when it is first drawn. A service worker has it, so it comes offline too.
 *
 * @param onMissing called when it can't be had
 * @param meanwhile what is shown until then; nothing when absent
 */
export function late<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  onMissing: (props: Props) => void,
  meanwhile: ComponentChildren = null,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return function Late(props: Props) {
    const [Shown, setShown] = useState(() => loaded);
    useEffect(() => {
      if (loaded !== undefined) return;
      const show = async (): Promise<void> => {
        try {
          const component = await load();
          loaded = component;
          setShown(() => component);
        } catch {
          onMissing(props);
        }
      };
      void show();
    }, []);
    return Shown === undefined ? <>{meanwhile}</> : <Shown {...props} />;
  };
}
