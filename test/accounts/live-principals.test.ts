import { expect, test } from "vitest";
import { LivePrincipals } from "../../src/accounts/live-principals.ts";
import type { Principal } from "../../src/accounts/principal.ts";

const FACTS = { id: "key_1", keyId: "key_1", scope: "write" } as Principal;

test("[Q23] what somebody holds is one, whatever was forgotten, until it ends", () => {
  const principals = new LivePrincipals();
  const held = principals.of(FACTS);
  expect(principals.of(FACTS)).toBe(held);
  principals.revoke("key_1");
  expect([held.end, principals.of(FACTS).end]).toEqual(["revoked", undefined]);
  const other = principals.of({ ...FACTS, id: "key_2" });
  principals.replaceAll();
  expect([held.end, other.end]).toEqual(["revoked", "replaced"]);
});
