import type { NodeKey, OutlineId } from "../../../src/core/node-key.ts";
import { startService } from "../../support/service.ts";
import type { SoakResult, SoakTask } from "../soak-row.ts";
import { type BreakableStore, openFailingStore } from "./breakable-store.ts";
import { Crowd } from "./crowd.ts";
import { storedOutline } from "./durable-names.ts";
import { runCycle } from "./fault-cycle.ts";
import { openFullDiskStore } from "./full-disk-store.ts";
import { Ledger } from "./ledger.ts";
import { lyingLog } from "./lying-log.ts";
import { namesBelow } from "./member.ts";

/** Services that live beside each other, since a fault is mostly waiting. On the first the disk is full. */
const LANES = 6;

const TOLD_WITHIN_MS = 1_000;

/** What all lanes have found. */
interface Tally {
  done: number;
  acknowledged: number;
  refused: number;
  realDisks: number;
  longestToldMs: number;
  longestRecoveryMs: number;
  longestRestRecoveryMs: number;
  readonly failures: string[];
}

export interface FaultLanesOptions {
  readonly task: SoakTask;
  /** Whether the store's lies are passed on. */
  readonly lies: boolean;
  /** Whether being told late is a failure: not where many tests share few cores. */
  readonly judgesTimes: boolean;
}

/** Has stores fail again and again under the services that stand on them, and never restarts one. */
export async function runFaultLanes(options: FaultLanesOptions): Promise<SoakResult> {
  const { amount } = options.task;
  const tally: Tally = {
    done: 0,
    acknowledged: 0,
    refused: 0,
    realDisks: 0,
    longestToldMs: 0,
    longestRecoveryMs: 0,
    longestRestRecoveryMs: 0,
    failures: [],
  };
  const lanes = Math.min(LANES, amount);
  const faultsOf = (lane: number): number[] =>
    Array.from({ length: amount }, (_, index) => index).filter((index) => index % lanes === lane);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) => runLane(lane === 0, faultsOf(lane), tally, options)),
  );
  const { done, failures, acknowledged, refused } = tally;
  if (failures.length === 0 && (refused < amount || acknowledged < 10 * amount)) {
    failures.push(`too little happened: ${acknowledged} acknowledged, ${refused} refused`);
  }
  return {
    done,
    failures,
    figures: {
      acknowledged,
      refused,
      realDisks: tally.realDisks,
      longestToldMs: Math.round(tally.longestToldMs),
      longestRecoveryMs: Math.round(tally.longestRecoveryMs),
      longestRestRecoveryMs: Math.round(tally.longestRestRecoveryMs),
    },
  };
}

async function runLane(
  isFull: boolean,
  faults: readonly number[],
  tally: Tally,
  options: FaultLanesOptions,
): Promise<void> {
  const breakable = await (isFull ? openFullDiskStore() : openFailingStore());
  if (breakable.isReal) tally.realDisks++;
  try {
    await runOn(breakable, faults, tally, options);
  } catch (error) {
    // What failed first says why.
    if (tally.failures.length === 0) tally.failures.push(String(error));
  } finally {
    await breakable.remove();
  }
}

async function runOn(
  breakable: BreakableStore,
  faults: readonly number[],
  tally: Tally,
  { lies, task, judgesTimes }: FaultLanesOptions,
): Promise<void> {
  const { store } = breakable;
  const service = await startService({
    store: {
      log: lies ? lyingLog(store.log) : store.log,
      accounts: store.accounts,
      close: () => store.close(),
    },
  });
  const principal = await service.accounts.authenticate(service.key);
  if (principal === undefined) throw new Error("the key is not valid");
  const { outline } = principal;
  const now = (): number => performance.now();
  let ledger = new Ledger(now);
  const crowd = await Crowd.gather(service, outline, () => ledger);
  const promised = new Map<NodeKey, Ledger>();
  try {
    for (const index of faults) {
      const fault = breakable.faults[index % breakable.faults.length];
      if (fault === undefined || tally.failures.length > 0 || !task.goesOn(tally.done)) break;
      ledger = new Ledger(now);
      const isOver = (): boolean => tally.failures.length > 0;
      const cycle = { service, outline, crowd, log: store.log, ledger, fault, isOver };
      const result = await runCycle(cycle);
      const { failures, toldMs = 0, parent } = result;
      promised.set(parent, ledger);
      tally.done++;
      tally.acknowledged += ledger.promised.size;
      tally.refused += ledger.refusals;
      tally.longestToldMs = Math.max(tally.longestToldMs, toldMs);
      const { recoveredMs = 0, restRecoveredMs = 0 } = result;
      tally.longestRecoveryMs = Math.max(tally.longestRecoveryMs, recoveredMs);
      tally.longestRestRecoveryMs = Math.max(tally.longestRestRecoveryMs, restRecoveredMs);
      tally.failures.push(...failures);
      if (judgesTimes && toldMs > TOLD_WITHIN_MS) {
        tally.failures.push(`store ${fault.name}: told after ${Math.round(toldMs)} ms`);
      }
    }
  } finally {
    for (const fault of breakable.faults) fault.end();
    await crowd.disperse();
    await service.close();
  }
  tally.failures.push(...(await lossesAfterRestart(breakable, outline, promised)));
}

async function lossesAfterRestart(
  breakable: BreakableStore,
  id: OutlineId,
  promised: ReadonlyMap<NodeKey, Ledger>,
): Promise<readonly string[]> {
  const store = await breakable.reopen();
  try {
    const outline = await storedOutline(store.log, id);
    const lost = [...promised].flatMap(([parent, ledger]) => {
      const names = namesBelow(outline, parent);
      return [...ledger.promised.keys()].filter((name) => !names.has(name));
    });
    const findings = await store.verifyAll();
    return [
      ...(lost.length > 0 ? [`lost with a restart: ${lost.join(" ")}`] : []),
      ...findings.map(({ kind, record }) => `${record} is ${kind}`),
    ];
  } finally {
    await store.close();
  }
}
