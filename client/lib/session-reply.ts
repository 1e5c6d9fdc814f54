import { isOutlineId } from "../../src/core/node-key.ts";
import type { SessionReply } from "./platform.ts";

/** What the answer to `GET /session` says. @param body parsed JSON, from anybody */
export function sessionReply(status: number, body: unknown): SessionReply {
  if (typeof body !== "object" || body === null) return { kind: "unknown" };
  // 400: the browser has two sessions, and neither counts. A proxy, or the portal of a hotel, refuses with
  // the same statuses, and says nothing about the key.
  const isRefusal = status === 400 || status === 401 || status === 403;
  if (isRefusal && "code" in body) return { kind: "signed_out" };
  if (status !== 200) return { kind: "unknown" };
  const outline = "outline" in body ? body.outline : undefined;
  return typeof outline === "string" && isOutlineId(outline)
    ? { kind: "signed_in", outline }
    : { kind: "unknown" };
}
