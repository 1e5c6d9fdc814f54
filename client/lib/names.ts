/** What programs name besides `open`, in Node and in browsers. */
export { CALENDAR, INBOX, isNodeKey, isOutlineId, ROOT } from "../../src/core/node-key.ts";
export type { NodeKey, OutlineId } from "../../src/core/node-key.ts";
export { DisconnectedError } from "./disconnected-error.ts";
export type { Replica } from "./replica.ts";
export type { Status } from "./status.ts";
export { StoreError } from "./store/replica-store.ts";
