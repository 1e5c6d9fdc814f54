import type { NodeKey } from "../../../../src/core/node-key.ts";
import { plainText } from "../../../../src/core/text/rich-text.ts";
import type { TextPart } from "../../../lib/edit/edits.ts";
import type { Replica } from "../../../lib/replica.ts";

/** The characters of a name or note; empty when there is none. Offsets in it are those of editors. */
export function textOfNode({ outline }: Replica, key: NodeKey, part: TextPart = "name"): string {
  return plainText(outline.richText(key, part));
}
