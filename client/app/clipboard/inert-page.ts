import { trustedTypesOf } from "../page/trusted-types.ts";

/** Names the one use of HTML as a text that the page's policy allows: to be looked at, and nothing else. */
const policy = trustedTypesOf()?.createPolicy("paste", { createHTML: (html) => html });

/** A page that is not shown: nothing of it is loaded or run. */
export function inertPage(html: string): Document {
  return new DOMParser().parseFromString(policy?.createHTML(html) ?? html, "text/html");
}
