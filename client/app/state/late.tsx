import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A component that is fetched when it is first drawn, and shows nothing until then. A service worker has
 * it, so it comes offline too. @param onMissing called when it can't be had
 */
export function late<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  onMissing: (props: Props) => void,
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
    return Shown === undefined ? null : <Shown {...props} />;
  };
}
