import { expect, test } from "vitest";
import { payingUser } from "../../../src/charges/payer.ts";
import { newLongRequests } from "../../../src/http/operation-route.ts";

/** Requests that are in work until the test ends them. */
function workshop() {
  const requests = newLongRequests();
  const working = new Map<string, () => void>();
  const begin = (user: string, name: string): void => {
    void requests.pass(payingUser(user), async () => {
      await new Promise<void>((resolve) => working.set(name, resolve));
      working.delete(name);
    });
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begin,
    requests,
    settle,
    working: () => [...working.keys()],
    end: async (name: string) => {
      working.get(name)?.();
      await settle();
    },
  };
}

test("[Q13] a user has one long request in work, and the next ones in their order", async () => {
  const { begin, end, settle, working } = workshop();
  for (const name of ["a1", "a2", "a3"]) begin("anna", name);
  begin("ben", "b1");
  await settle();
  expect(working()).toEqual(["a1", "b1"]);
  await end("a1");
  expect(working()).toEqual(["b1", "a2"]);
  await end("a2");
  expect(working()).toEqual(["b1", "a3"]);
});

test("[Q13] all users together have sixteen", async () => {
  const { begin, end, settle, working } = workshop();
  for (let user = 0; user < 20; user += 1) begin(`user${user}`, `request${user}`);
  await settle();
  expect(working().length).toBe(16);
  await end("request3");
  expect([working().length, working().includes("request16")]).toEqual([16, true]);
});

test("[Q13] one that fails makes room as well", async () => {
  const { requests, begin, settle, working } = workshop();
  const failed = requests.pass(payingUser("anna"), () => {
    throw new Error("broken");
  });
  begin("anna", "next");
  await expect(failed).rejects.toThrow("broken");
  await settle();
  expect(working()).toEqual(["next"]);
});
