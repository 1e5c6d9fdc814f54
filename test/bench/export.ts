import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Answered, asked, textOf } from "./asked.ts";
import { BenchProgram } from "./bench-program.ts";
import { median } from "./median.ts";
import { plantOutline, serveOutline } from "./planted-outline.ts";
import type { Compared } from "./rest.ts";

export interface ExportFigures {
  /** Processor milliseconds of the server; the floor makes the same objects into JSON in one go. */
  readonly cpuMs: Compared;
  /** From the request until the last byte was read. */
  readonly wholeMs: Compared;
  /** The longest time that the server's event loop stood still meanwhile. */
  readonly stallMs: Compared;
  readonly bytes: number;
}

const ROUNDS = 7;
const EXPORT = "/api/v1/nodes-export";
const FLOOR = fileURLToPath(new URL("rest-floor-server.ts", import.meta.url));

/** What the export of an outline costs the built service, against `JSON.stringify` of the same objects. */
export async function benchExport(nodes: number): Promise<ExportFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  const programs: BenchProgram[] = [];
  try {
    const planted = await plantOutline(join(folder, "service"), nodes);
    const { key } = planted;
    const service = await serveOutline(planted);
    programs.push(service);
    const body = await textOf(service, EXPORT, key);
    const floor = await BenchProgram.start(
      ["--import", "tsx", FLOOR],
      { FLOOR_FOLDER: join(folder, "floor") },
      `{"/export":${body}}`,
    );
    programs.push(floor);
    const ofService: Answered[] = [];
    const ofFloor: Answered[] = [];
    for (let round = -2; round < ROUNDS; round++) {
      const rounds = [
        await asked(service, EXPORT, key),
        await asked(floor, "/export", key),
      ] as const;
      // The first ones are for the compiler.
      if (round < 0) continue;
      ofService.push(rounds[0]);
      ofFloor.push(rounds[1]);
    }
    const compared = (figure: keyof Answered): Compared => ({
      service: ofService.map((each) => each[figure]),
      floor: ofFloor.map((each) => each[figure]),
    });
    return {
      cpuMs: compared("cpuMs"),
      wholeMs: compared("wholeMs"),
      stallMs: compared("stallMs"),
      bytes: body.length,
    };
  } finally {
    for (const program of programs) await program.stop();
    await rm(folder, { recursive: true });
  }
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  for (const nodes of argv.slice(2).map(Number)) {
    const { bytes, ...all } = await benchExport(nodes);
    const rows = Object.entries(all).map(([name, { service, floor }]) => ({
      nodes,
      bytes,
      name,
      service: Math.round(median(service)),
      greatest: Math.round(Math.max(...service)),
      floor: Math.round(median(floor)),
      ratio: (median(floor) / median(service)).toFixed(2),
    }));
    console.table(rows);
  }
}
