import { useEffect, useState } from "preact/hooks";
import type { Replica } from "../../lib/replica.ts";

/** Says on a new device that the outline is not there yet: it would look as if all of it were gone. */
export function Awaited({ replica }: { readonly replica: Replica }) {
  const [isAwaited, setAwaited] = useState(() => isNeverThere(replica));
  useEffect(() => {
    // Once it was there it is not awaited any more, whatever becomes of the network.
    const look = (): void => setAwaited((before) => before && isNeverThere(replica));
    look();
    return replica.onStatus(look);
  }, [replica]);
  return isAwaited ? (
    <p class="no-rows awaited" data-part="awaited">
      What the server has is still on its way to this device.
    </p>
  ) : null;
}

function isNeverThere({ seq, status }: Replica): boolean {
  return seq === 0 && status.kind !== "saved";
}
