import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { median, percentile } from "../../bench/median.ts";
import { AppServer } from "../support/app-server.ts";
import { Device } from "../support/device.ts";
import type { BenchOutline } from "./outlines.ts";
import { installProbe, PageProbe } from "./page-probe.ts";

export interface OutlineFigures {
  readonly firstRowsMs: number;
  readonly readyCpuMs: number;
  readonly longestTaskMs: number;
  readonly heapMb: number;
  readonly keystrokeCpuMs: number;
  readonly keystrokePaintP95Ms: number;
  readonly enterCpuMs: number;
  readonly tabCpuMs: number;
  readonly collapseAllCpuMs: number;
  readonly expandAllCpuMs: number;
  readonly searchCpuMs: number;
  readonly mostRows: number;
  readonly reconnectMs: number;
  readonly idleCpuMsPerSec: number;
  readonly idleWakeups: number;
}

const RELOADS = 3;
const IDLE_MS = 5000;

/** Opens an outline in the app and does with it what people do, again and again. */
export async function measureOutline(
  browser: Browser,
  outline: BenchOutline,
): Promise<OutlineFigures> {
  const server = await AppServer.start();
  const device = await openImported(browser, server, outline);
  try {
    const probe = await PageProbe.attach(browser, device.page);
    const opening = await measureOpening(device, probe);
    const heapMb = await probe.heapMb();
    const writing = await measureWriting(device, probe);
    const looking = await measureLooking(device, probe);
    const reconnectMs = await measureReconnect(device, probe, server);
    await device.reaches("saved");
    await device.page.waitForTimeout(2000);
    const before = await probe.cpuMs();
    await device.page.waitForTimeout(IDLE_MS);
    const idleCpuMsPerSec = ((await probe.cpuMs()) - before) / (IDLE_MS / 1000);
    const idleWakeups = await probe.wakeups(IDLE_MS);
    const { mostRows } = await probe.seen();
    return {
      ...opening,
      heapMb,
      ...writing,
      ...looking,
      reconnectMs,
      mostRows,
      idleCpuMsPerSec,
      idleWakeups,
    };
  } finally {
    await device.close();
    await server.stop();
  }
}

async function openImported(
  browser: Browser,
  server: AppServer,
  { extension, content }: BenchOutline,
): Promise<Device> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    const file = join(folder, `outline.${extension}`);
    await writeFile(file, content);
    await server.command("import", file);
  } finally {
    await rm(folder, { recursive: true });
  }
  const device = await Device.open(browser, server, { beforeLoad: installProbe });
  device.page.setDefaultTimeout(120_000);
  await device.signIn(server.key);
  await device.reaches("saved");
  await device.installed();
  // All of it is in the local store then, and the rows of this view are kept.
  await device.page.waitForTimeout(3000);
  return device;
}

async function measureOpening(
  device: Device,
  probe: PageProbe,
): Promise<Pick<OutlineFigures, "firstRowsMs" | "readyCpuMs" | "longestTaskMs">> {
  const runs = [];
  for (let run = 0; run < RELOADS; run++) {
    await device.reload();
    await device.reaches("saved");
    await probe.painted();
    // It counts from the beginning of each document.
    const readyCpuMs = await probe.cpuMs();
    const { firstRowsMs = Number.NaN, longTasksMs } = await probe.seen();
    runs.push({ firstRowsMs, readyCpuMs, longestTaskMs: Math.max(0, ...longTasksMs) });
  }
  return {
    firstRowsMs: median(runs.map((run) => run.firstRowsMs)),
    readyCpuMs: median(runs.map((run) => run.readyCpuMs)),
    longestTaskMs: median(runs.map((run) => run.longestTaskMs)),
  };
}

async function measureWriting(
  device: Device,
  probe: PageProbe,
): Promise<
  Pick<OutlineFigures, "keystrokeCpuMs" | "keystrokePaintP95Ms" | "enterCpuMs" | "tabCpuMs">
> {
  const [, second] = await device.rows();
  if (second === undefined) throw new Error("there are no rows");
  await device.focus(second.key);
  await device.type("warming up ");
  await device.reaches("saved");
  const text = "What a person types at a steady pace into a line. ";
  await probe.forgetPaints();
  const typing = await probe.cpuOf(() => device.page.keyboard.type(text.repeat(2), { delay: 30 }));
  const { paintsMs } = await probe.seen();
  const enters: number[] = [];
  const tabs: number[] = [];
  for (let round = 0; round < 15; round++) {
    enters.push(await probe.cpuOf(() => device.press("Enter")));
    await device.type("x");
    await probe.painted();
    tabs.push(await probe.cpuOf(() => device.press(round % 2 === 0 ? "Tab" : "Shift+Tab")));
  }
  await device.reaches("saved");
  return {
    keystrokeCpuMs: typing / (text.length * 2),
    keystrokePaintP95Ms: percentile(paintsMs, 0.95),
    enterCpuMs: median(enters),
    tabCpuMs: median(tabs),
  };
}

/** Runs a command through the list of all; answers the CPU from the choice on. */
async function cpuOfCommand(device: Device, probe: PageProbe, name: string): Promise<number> {
  await device.press("Control+;");
  await device.page.getByRole("dialog").getByRole("combobox").fill(name);
  await device.page.getByRole("option", { name }).first().waitFor();
  await probe.painted();
  return probe.cpuOf(() => device.press("Enter"));
}

async function measureLooking(
  device: Device,
  probe: PageProbe,
): Promise<Pick<OutlineFigures, "collapseAllCpuMs" | "expandAllCpuMs" | "searchCpuMs">> {
  const collapses: number[] = [];
  const expansions: number[] = [];
  for (let round = 0; round < 5; round++) {
    collapses.push(await cpuOfCommand(device, probe, "Collapse all"));
    expansions.push(await cpuOfCommand(device, probe, "Expand all"));
  }
  const searches: number[] = [];
  await device.press("Control+f");
  for (const key of "number 99") {
    searches.push(await probe.cpuOf(() => device.page.keyboard.type(key)));
  }
  await device.press("Escape");
  await probe.painted();
  return {
    collapseAllCpuMs: median(collapses),
    expandAllCpuMs: median(expansions),
    searchCpuMs: median(searches),
  };
}

/** From a dropped connection until both sides have what was written meanwhile. */
async function measureReconnect(
  device: Device,
  probe: PageProbe,
  server: AppServer,
): Promise<number> {
  // Where the new lines will be.
  await device.page.evaluate(() => window.scrollTo(0, 0));
  await probe.painted();
  const [row] = await device.rows();
  if (row === undefined) throw new Error("there are no rows");
  await device.focus(row.key);
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    await device.reaches("saved");
    const line = `while away ${round}`;
    const from = performance.now();
    device.network.dropConnections();
    await device.type("!");
    await server.call("POST", "nodes", { name: line, position: "top" });
    await device.page.getByText(line).waitFor();
    await device.reaches("saved");
    times.push(performance.now() - from);
  }
  return median(times);
}
