import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { Reading } from "../../bench/bench-group.ts";
import { percentile } from "../../bench/median.ts";
import { AppServer } from "../support/app-server.ts";
import { Device } from "../support/device.ts";
import type { BenchOutline } from "./outlines.ts";
import { installProbe, PageProbe } from "./page-probe.ts";

/** One number, or one for each round. */
export interface OutlineFigures {
  readonly firstRowsMs: Reading;
  readonly readyCpuMs: Reading;
  readonly longestTaskMs: Reading;
  readonly heapMb: Reading;
  readonly keystrokeCpuMs: Reading;
  /** The same in a page of nothing but lines. */
  readonly bareKeystrokeCpuMs: Reading;
  readonly keystrokePaintP95Ms: Reading;
  readonly enterCpuMs: Reading;
  readonly tabCpuMs: Reading;
  readonly collapseAllCpuMs: Reading;
  readonly expandAllCpuMs: Reading;
  /** One for each key. */
  readonly searchCpuMs: Reading;
  readonly searchChangedCpuMs: Reading;
  readonly mostRows: Reading;
  readonly reconnectMs: Reading;
  readonly idleWakeups: Reading;
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
    const writing = await measureWriting(browser, device, probe);
    const looking = await measureLooking(device, probe);
    const reconnectMs = await measureReconnect(device, probe, server);
    await device.reaches("saved");
    await device.page.waitForTimeout(2000);
    const idleWakeups = await probe.wakeups(IDLE_MS);
    const { mostRows } = await probe.seen();
    return {
      ...opening,
      heapMb,
      ...writing,
      ...looking,
      reconnectMs,
      mostRows,
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
  const device = await Device.open(browser, server, { beforeLoad: installProbe, installs: true });
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
    firstRowsMs: runs.map((run) => run.firstRowsMs),
    readyCpuMs: runs.map((run) => run.readyCpuMs),
    longestTaskMs: runs.map((run) => run.longestTaskMs),
  };
}

/** What is typed once a round. */
const LINE = "What a person types at a steady pace into a line. ";
const TYPING_ROUNDS = 4;

async function keystrokeCpuMs(page: Page, probe: PageProbe): Promise<number> {
  const cpuMs = await probe.cpuOf(() => page.keyboard.type(LINE, { delay: 30 }));
  return cpuMs / LINE.length;
}

/** The first line below another that can be clicked anywhere: a link would open a page in front. */
async function lineWithoutLinks(page: Page): Promise<string> {
  const line = page
    .locator("[role=treeitem][aria-level='2']:not(:has([data-part=name] a))")
    .first();
  const key = await line.getAttribute("data-key");
  if (key === null) throw new Error("the row has no key");
  return key;
}

/** A page of lines that can be edited, with the caret in one of them. */
async function openBarePage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.goto("about:blank");
  const lines = Array.from(
    { length: 30 },
    (_, index) => `<div contenteditable>line ${index}</div>`,
  );
  await page.setContent(lines.join(""));
  await page.evaluate(installProbe);
  await page.locator("[contenteditable]").nth(1).click();
  return page;
}

async function measureWriting(
  browser: Browser,
  device: Device,
  probe: PageProbe,
): Promise<
  Pick<
    OutlineFigures,
    "keystrokeCpuMs" | "bareKeystrokeCpuMs" | "keystrokePaintP95Ms" | "enterCpuMs" | "tabCpuMs"
  >
> {
  const line = await lineWithoutLinks(device.page);
  const barePage = await openBarePage(browser);
  const bareProbe = await PageProbe.attach(browser, barePage);
  const keys: number[] = [];
  const bareKeys: number[] = [];
  const paints: number[] = [];
  for (let round = -1; round < TYPING_ROUNDS; round++) {
    await device.page.bringToFront();
    await device.focus(line);
    await probe.forgetPaints();
    const cpuMs = await keystrokeCpuMs(device.page, probe);
    const { paintsMs } = await probe.seen();
    await device.reaches("saved");
    await barePage.bringToFront();
    const bareCpuMs = await keystrokeCpuMs(barePage, bareProbe);
    // The first round is for the compiler.
    if (round < 0) continue;
    keys.push(cpuMs);
    bareKeys.push(bareCpuMs);
    paints.push(...paintsMs);
  }
  await barePage.close();
  await device.page.bringToFront();
  await device.focus(line);
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
    keystrokeCpuMs: keys,
    bareKeystrokeCpuMs: bareKeys,
    keystrokePaintP95Ms: percentile(paints, 0.95),
    enterCpuMs: enters,
    tabCpuMs: tabs,
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
): Promise<
  Pick<OutlineFigures, "collapseAllCpuMs" | "expandAllCpuMs" | "searchCpuMs" | "searchChangedCpuMs">
> {
  const collapses: number[] = [];
  const expansions: number[] = [];
  for (let round = 0; round < 5; round++) {
    collapses.push(await cpuOfCommand(device, probe, "Collapse all"));
    expansions.push(await cpuOfCommand(device, probe, "Expand all"));
  }
  const searches = await cpuOfSearch(device, probe, "number 99");
  const changes = await cpuOfSearch(device, probe, "changed:1d");
  return {
    collapseAllCpuMs: collapses,
    expandAllCpuMs: expansions,
    searchCpuMs: searches,
    searchChangedCpuMs: changes.slice(-1),
  };
}

/** CPU of each key of a query that is typed into the search box. */
async function cpuOfSearch(device: Device, probe: PageProbe, query: string): Promise<number[]> {
  await device.press("Control+f");
  const keys: number[] = [];
  for (const key of query) keys.push(await probe.cpuOf(() => device.page.keyboard.type(key)));
  // Away with the words, and out of the box.
  await device.press("Escape");
  await probe.painted();
  return keys;
}

/** From a dropped connection until both sides have what was written meanwhile. */
async function measureReconnect(
  device: Device,
  probe: PageProbe,
  server: AppServer,
): Promise<readonly number[]> {
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
  return times;
}
