import { useEffect } from "preact/hooks";
import type { Replica } from "../../lib/replica.ts";

import type { Status } from "../../lib/status.ts";
import { useRenewal } from "./use-renewal.ts";

/** The replica's status; the component renders anew when it changes. */
export function useStatus(replica: Replica): Status {
  const renew = useRenewal();
  useEffect(() => {
    // It may have changed between this render and now.
    renew();
    return replica.onStatus(renew);
  }, [replica]);
  return replica.status;
}
