import { expect, test } from "vitest";
import type { Principal } from "../../src/accounts/accounts.ts";
import { SignIns } from "../../src/accounts/sign-ins.ts";

const PRINCIPAL = { keyId: "key_1" } as Principal;

function signInsAt(perMinute: number) {
  let now = 1_000_000;
  let lookUps = 0;
  const accounts = {
    authenticate: async (key: string) => {
      lookUps++;
      return key.startsWith("right") ? PRINCIPAL : undefined;
    },
  };
  const signIns = new SignIns({ accounts, perMinute, now: () => now });
  const attempt = async (key: string, address = "1.2.3.4"): Promise<number | string> => {
    const found = await signIns.attempt(key, address);
    return found.kind === "limited" ? found.waitMs : found.kind;
  };
  return { attempt, advance: (ms: number) => (now += ms), lookUps: () => lookUps };
}

test("[A34] so many wrong keys at once, then evenly; further ones are not looked up", async () => {
  const { attempt, advance, lookUps } = signInsAt(3);
  for (const key of ["a", "b", "c"]) expect(await attempt(key)).toBe("unknown");
  expect(await attempt("d")).toBe(20_000);
  expect(await attempt("right")).toBe(20_000);
  expect(lookUps()).toBe(3);
  expect(await attempt("d", "1.2.3.5")).toBe("unknown");
  advance(20_000);
  expect(await attempt("right")).toBe("known");
  expect(await attempt("e")).toBe("unknown");
  expect(await attempt("f")).toBe(20_000);
});

test("[A34] a key that was shown from there before is no guess", async () => {
  const { attempt } = signInsAt(2);
  expect(await attempt("right")).toBe("known");
  for (let round = 0; round < 10; round++) expect(await attempt("revoked")).toBe("unknown");
  expect(await attempt("guess")).toBe("unknown");
  expect(await attempt("guess again")).toBe(30_000);
  expect([await attempt("right"), await attempt("revoked")]).toEqual(["known", "unknown"]);
});

test("[A34] guesses that come at once make the wait longer, up to ten minutes", async () => {
  const { attempt, advance } = signInsAt(10);
  const guesses = Array.from({ length: 20 }, (_, guess) => attempt(`guess ${guess}`));
  expect(new Set(await Promise.all(guesses))).toEqual(new Set(["unknown"]));
  expect(await attempt("right")).toBe(66_000);
  advance(60_000);
  await Promise.all(Array.from({ length: 500 }, (_, guess) => attempt(`more ${guess}`, "::1")));
  expect(await attempt("right", "::1")).toBe(10 * 60_000 - 54_000);
});

test("[A34] IPv6 counts by its /64, and IPv4 is one however it is written", async () => {
  const { attempt } = signInsAt(1);
  expect(await attempt("a", "2001:db8:1:2::1")).toBe("unknown");
  expect(await attempt("b", "2001:db8:1:2:3::1")).toBe(60_000);
  expect(await attempt("b", "2001:db8:1:3::1")).toBe("unknown");
  expect(await attempt("a", "::ffff:1.2.3.4")).toBe("unknown");
  expect(await attempt("b", "1.2.3.4")).toBe(60_000);
});

test("[A34] 0 is any number", async () => {
  const { attempt } = signInsAt(0);
  for (let guess = 0; guess < 100; guess++) expect(await attempt(`${guess}`)).toBe("unknown");
  expect(await attempt("right")).toBe("known");
});

test("[A34] a clock that was set back keeps nobody waiting", async () => {
  const { attempt, advance } = signInsAt(3);
  for (const key of ["a", "b", "c"]) expect(await attempt(key)).toBe("unknown");
  expect(await attempt("right")).toBe(20_000);
  advance(-3_600_000);
  expect(await attempt("right")).toBe("known");
  for (const key of ["d", "e", "f"]) expect(await attempt(key)).toBe("unknown");
  expect(await attempt("g")).toBe(20_000);
});
