import { execFile } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Cluster, type ClusterProcess, missingOf } from "../../e2e/cluster.ts";
import { Writers } from "../../e2e/cluster-writers.ts";
import { PostgresServer } from "../../support/postgres/postgres-server.ts";
import { until } from "../../support/socket-until.ts";
import { type ClusterFault, harmTo, lossIn } from "./cluster-fault.ts";

const run = promisify(execFile);

/** A small disk in memory, of which a test takes the rest away. */
class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(megabytes: number): Promise<SmallDisk> {
    const path = await mkdtemp(join(tmpdir(), "outline-small-disk-"));
    await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "outline", path]);
    return new SmallDisk(path);
  }

  async fill(): Promise<void> {
    const { bavail, bsize } = await statfs(this.path);
    await writeFile(this.#filler, Buffer.alloc(bavail * bsize)).catch((error: unknown) => {
      // The database was faster.
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    });
  }

  async empty(): Promise<void> {
    await rm(this.#filler, { force: true });
  }

  async remove(): Promise<void> {
    await run("umount", ["-l", this.path]);
    await rm(this.path, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.path, "filler");
  }
}

let disk: SmallDisk | undefined;

/** The disk of the database is full, which may end it, and has room again. */
export const fullDatabase: ClusterFault = {
  name: "full-database",
  what: "the disk of the database is full, which may end it, and has room again",
  obstacle: () =>
    process.getuid?.() === 0 ? undefined : "a disk that is full needs root, who can make one",
  async makeCluster() {
    disk = await SmallDisk.make(160);
    return Cluster.start(await PostgresServer.start(disk.path));
  },
  async run({ cluster, figure }) {
    const processes: ClusterProcess[] = [];
    const failures: string[] = [];
    let writers: Writers | undefined;
    try {
      for (const name of ["one", "two"]) processes.push(await cluster.newProcess(name));
      writers = new Writers(cluster, processes);
      const { acknowledged } = writers;
      await writers.more(30);
      await disk?.fill();
      const large = (): Promise<boolean> =>
        Promise.all(processes.map((each) => cluster.add(each, "x".repeat(500_000)))).then(
          (added) => !added.includes(true),
        );
      await until(large, "a refusal", 60_000);
      const refused = acknowledged.length;
      for (const process of processes) {
        const answer = await cluster.ask(process, "nodes?parent_id=inbox");
        if (![200, 503].includes(answer.status)) failures.push(`answered ${answer.status}`);
      }
      await disk?.empty();
      // A database that has ended for want of room is begun again by whoever looks after it.
      if (!(await cluster.database.isRunning())) await cluster.database.begin();
      await writers.more(30);
      await writers.stop();
      figure("lines acknowledged before the database was full", refused);
      for (const process of processes) {
        let names: readonly string[] | undefined;
        await until(async () => (names = await cluster.names(process)) !== undefined, "an answer");
        failures.push(...lossIn("read", missingOf(names, acknowledged)));
      }
      return [...failures, ...(await harmTo(cluster, writers))];
    } finally {
      await cluster.killAll();
      await writers?.stop();
      await cluster.database.stop();
      await disk?.remove();
    }
  },
};
