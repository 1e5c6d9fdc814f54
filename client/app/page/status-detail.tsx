import type { Status } from "../../lib/status.ts";
import { detailOfStatus } from "./trouble-words.ts";

/** What the status means. */
export function StatusDetail({ status }: { readonly status: Status }) {
  return <>{detailOfStatus(status)}</>;
}
