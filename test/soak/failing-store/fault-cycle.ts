import { setTimeout as delay } from "node:timers/promises";
import { isNodeKey, type NodeKey, type OutlineId } from "../../../src/core/node-key.ts";
import type { OutlineLog } from "../../../src/documents/log/outline-log.ts";
import type { TestService } from "../../support/service.ts";
import type { Fault } from "./breakable-store.ts";
import type { Crowd } from "./crowd.ts";
import { durableNames } from "./durable-names.ts";
import type { Ledger } from "./ledger.ts";
import { waitUntil } from "./wait-until.ts";

/** Before the store fails each of them has been told so often that its work is safe. */
const PROMISES_BEFORE = 3;

export interface CycleOptions {
  readonly service: TestService;
  readonly outline: OutlineId;
  readonly crowd: Crowd;
  /** What is really stored. */
  readonly log: OutlineLog;
  readonly ledger: Ledger;
  readonly fault: Fault;
  /** True when another service has failed already: then nobody waits for anything. */
  readonly isOver: () => boolean;
}

export interface CycleResult {
  readonly failures: readonly string[];
  /** Below which everybody worked. */
  readonly parent: NodeKey;
  /** From the moment at which it could be known until the last client was told. */
  readonly toldMs?: number;
  /** From the end of the fault until everybody's new work was acknowledged. */
  readonly recoveredMs?: number;
  /** The same for the first program over REST. */
  readonly restRecoveredMs?: number;
}

/** Everybody works; the store fails, and works again; everybody is asked what is safe. */
export async function runCycle(options: CycleOptions): Promise<CycleResult> {
  const { crowd, ledger, fault, log, outline } = options;
  const { members } = crowd;
  const failures: string[] = [];
  const wait = waitsFor(options);
  const parent = await newParent(options);
  const promising = members.filter(({ isPromised }) => isPromised);
  const promisesSince = (name: string, since: number): number =>
    [...ledger.promised.keys()].filter(
      (each) => each.startsWith(`${name}n`) && (ledger.asked.get(each) ?? 0) >= since,
    ).length;

  crowd.work(parent);
  await wait(
    () => promising.every(({ name }) => promisesSince(name, 0) >= PROMISES_BEFORE),
    "everybody has been told that work is safe",
  );

  const beganAt = ledger.now();
  fault.begin();
  if (!fault.hasBegun()) await wait(() => fault.hasBegun(), "the store fails");
  const from = ledger.now();
  // One failure may pass between two requests of a program; sockets are there all the time.
  const toBeTold = members.filter(
    ({ name }) => name !== "reader" && (fault.lastsMs > 0 || !name.startsWith("rest")),
  );
  const falsePromises = (to: number): readonly string[] =>
    fault.lastsMs > 0 ? ledger.between(ledger.promised, from, to) : [];
  if (fault.knownAfterMs !== undefined) {
    await wait(
      () =>
        toBeTold.every(({ name }) => ledger.told.has(name)) ||
        falsePromises(ledger.now()).length > 0 ||
        // A variant that hides a failure that has passed.
        (fault.lastsMs === 0 && ledger.now() > beganAt + 10_000),
      "everybody is told",
    );
  }
  const isBroken = falsePromises(ledger.now()).length > 0;
  if (!isBroken) await delay(Math.max(0, beganAt + fault.lastsMs - ledger.now()));
  crowd.show(parent, ledger);
  const to = ledger.now();
  const promised = falsePromises(to);
  const shown = fault.lastsMs > 0 ? ledger.between(ledger.shown, from, to) : [];
  fault.end();
  if (promised.length > 0) failures.push(`acknowledged while it failed: ${promised.join(" ")}`);
  if (shown.length > 0) failures.push(`shown while it failed: ${shown.join(" ")}`);
  const silent = toBeTold.flatMap(({ name }) => (ledger.told.has(name) ? [] : [name]));
  if (fault.knownAfterMs !== undefined && silent.length > 0) {
    failures.push(`not told: ${silent.join(" ")}`);
  }
  if (failures.length > 0) return { failures: inWords(fault, failures), parent };

  await wait(() => promisesSince("rest1", to) > 0, "REST works again");
  const restRecoveredMs = ledger.now() - to;
  await wait(
    () => promising.every(({ name }) => promisesSince(name, to) > 0),
    "everybody's work is safe again",
  );
  const recoveredMs = ledger.now() - to;
  crowd.rest();
  const unsettled = (): readonly string[] =>
    members.filter(({ isSettled }) => !isSettled).map(({ name }) => name);
  await wait(
    () => unsettled().length === 0,
    () => `${unsettled().join(" and ")} has settled`,
  );

  const durable = await durableNames(log, outline, parent);
  const missingOf = (names: Iterable<string>): string =>
    [...names].filter((name) => !durable.has(name)).join(" ");
  const lost = missingOf(ledger.promised.keys());
  const undone = missingOf(ledger.shown.keys());
  if (lost !== "") failures.push(`acknowledged and lost: ${lost}`);
  if (undone !== "") failures.push(`shown and lost: ${undone}`);
  const unasked = [...durable].filter((name) => !ledger.asked.has(name));
  if (unasked.length > 0) failures.push(`nobody asked for: ${unasked.join(" ")}`);
  let differing: readonly string[] = [];
  // What nobody was told to be safe may have become durable only now.
  const allShowIt = async (): Promise<boolean> => {
    const stored = await durableNames(log, outline, parent);
    differing = members
      .filter((member) => !hasAll(member.names(parent), stored))
      .map(({ name }) => name);
    return differing.length === 0;
  };
  await wait(allShowIt, () => `${differing.join(" and ")} shows what is stored`).catch(
    (error: unknown) => failures.push(String(error)),
  );
  failures.push(...ledger.offences);
  const told = toBeTold.flatMap(({ name }) => ledger.told.get(name) ?? []);
  const toldMs =
    fault.knownAfterMs === undefined || told.length === 0
      ? undefined
      : Math.max(...told) - from - fault.knownAfterMs;
  return {
    failures: inWords(fault, failures),
    parent,
    ...(toldMs === undefined ? {} : { toldMs }),
    recoveredMs,
    restRecoveredMs,
  };
}

function inWords({ name }: Fault, failures: readonly string[]): readonly string[] {
  return failures.map((failure) => `store ${name}: ${failure}`);
}

function hasAll(names: ReadonlySet<string> | undefined, durable: ReadonlySet<string>): boolean {
  if (names === undefined) return true;
  return names.size === durable.size && [...durable].every((name) => names.has(name));
}

function waitsFor({ isOver }: CycleOptions) {
  return (
    condition: () => boolean | Promise<boolean>,
    what: string | (() => string),
  ): Promise<void> =>
    waitUntil(() => {
      if (isOver()) throw new Error("something has failed elsewhere");
      return condition();
    }, what);
}

/** A node of this cycle's own, once everybody has it. */
async function newParent(options: CycleOptions): Promise<NodeKey> {
  const { service, crowd } = options;
  const answer = await service.request("POST", "/api/v1/nodes", { name: "a cycle" });
  if (answer.status !== 200) throw new Error(`a node is answered with ${answer.status}`);
  const key = (answer.body as { readonly item_id: string }).item_id.replaceAll("-", "").slice(-12);
  if (!isNodeKey(key)) throw new Error(`no key: ${key}`);
  await waitsFor(options)(
    () => crowd.members.every((member) => member.isSettled && member.knows(key)),
    "everybody has the new node",
  );
  return key;
}
