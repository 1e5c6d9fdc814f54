import { expect, test } from "vitest";
import type { Principal } from "../../src/accounts/principal.ts";
import type { Credential } from "../../src/accounts/authentication.ts";
import { SignIns } from "../../src/accounts/sign-ins.ts";

const PRINCIPAL = { keyId: "key_1" } as Principal;

function signInsAt(perMinute: number) {
  let now = 1_000_000;
  let lookUps = 0;
  let lookUp = async (): Promise<void> => undefined;
  const accounts = {
    async who({ secret }: Credential) {
      lookUps++;
      await lookUp();
      return secret.startsWith("right") ? PRINCIPAL : undefined;
    },
  };
  const signIns = new SignIns({ accounts, perMinute, now: () => now });
  const attempt = async (
    secret: string,
    address = "1.2.3.4",
    kind: Credential["kind"] = "key",
  ): Promise<number | string> => {
    const found = await signIns.attempt({ kind, secret }, address);
    return found.kind === "limited" ? found.waitMs : found.kind;
  };
  return {
    attempt,
    advance: (ms: number) => (now += ms),
    lookUps: () => lookUps,
    lookingUp: (work: () => Promise<void>) => (lookUp = work),
  };
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

test("[Q20] of guesses that come at once no more are looked up than of those that come in turn", async () => {
  const { attempt, advance, lookUps } = signInsAt(10);
  const guesses = Array.from({ length: 250 }, (_, guess) => attempt(`guess ${guess}`));
  const outcomes = await Promise.all(guesses);
  expect(lookUps()).toBe(10);
  expect(outcomes.filter((outcome) => outcome === "unknown")).toHaveLength(10);
  expect(new Set(outcomes)).toEqual(new Set(["unknown", 6000]));
  // Who waits as told is let in.
  advance(6000);
  expect(await attempt("right")).toBe("known");
});

test("[Q20] right keys that come at once are all let in, also behind some wrong ones", async () => {
  const { attempt, lookUps } = signInsAt(10);
  const wrong = Array.from({ length: 9 }, (_, guess) => attempt(`guess ${guess}`));
  const right = Array.from({ length: 500 }, (_, device) => attempt(`right ${device}`));
  expect(new Set(await Promise.all(wrong))).toEqual(new Set(["unknown"]));
  expect(new Set(await Promise.all(right))).toEqual(new Set(["known"]));
  expect(lookUps()).toBe(509);
});

test("[Q20] the same wrong key at once is one guess, and keys and sessions are counted together", async () => {
  const { attempt } = signInsAt(3);
  const same = Array.from({ length: 20 }, () => attempt("wrong"));
  expect(new Set(await Promise.all(same))).toEqual(new Set(["unknown"]));
  expect(await attempt("wrong", "1.2.3.4", "session")).toBe("unknown");
  expect(await attempt("other", "1.2.3.4", "session")).toBe("unknown");
  expect(await attempt("another")).toBe(20_000);
});

test("[Q20] a look-up that fails is no guess, and lets the next one in", async () => {
  const { attempt, lookingUp } = signInsAt(1);
  lookingUp(() => Promise.reject(new Error("away")));
  const failing = [attempt("a"), attempt("b"), attempt("c")];
  const outcomes = await Promise.allSettled(failing);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  lookingUp(async () => undefined);
  expect(await attempt("d")).toBe("unknown");
  expect(await attempt("e")).toBe(60_000);
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
  // Right ones leave nothing behind that a clock could lengthen.
  for (const round of [1, 2, 3]) {
    expect(await attempt(`right ${round}`, "1.2.3.5")).toBe("known");
    advance(-30_000);
  }
});
