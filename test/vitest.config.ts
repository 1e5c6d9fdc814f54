import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What is about faults alone: the short forms of the soak, processes that are killed, mutants. */
const FAULTS = [
  "test/soak/**/*.test.ts",
  "test/**/*crash.test.ts",
  "test/**/*killed.test.ts",
  "test/client/browser/network.test.ts",
  "test/property/mutants.test.ts",
];

/** What takes random cases, as many as `test/support/runs.ts` says. */
const PROPERTIES = [
  "test/property/{changes,convergence,mirrors,poller,same-edits,traces}.test.ts",
  "test/api/{large,model}.test.ts",
  "test/core/updates/update-guard-fuzz.test.ts",
  "test/client/merge/*.test.ts",
  "test/http/answer/export-stream.test.ts",
  "test/sync/merged-parts.test.ts",
  "test/core/text/*properties.test.ts",
  "test/client/lib/edit/history-*.test.ts",
  "test/client/browser/{histories,large-outline,many-offline-edits}.test.ts",
];

/** Builds what tests start as processes of their own. */
const PROGRAMS_BUILD = "test/build-programs.ts";

/** What fetches programs that others have made. */
const PROGRAMS = ["test/programs/official/**/*.test.ts"];

/** The files that take half a minute and more. */
const LONGEST =
  /engines\/|convergence|beside-server|kept-caret|soak\/(simulation|abuse|cost|connections|mixed-load|stores|kills|told|hostile)\.|cluster-killed/;

/** Begins with them: one that begins last is waited for alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    root: fileURLToPath(new URL("..", import.meta.url)),
    // Against what hangs: a busy machine may take long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: ["test/support/setup.ts"],
    // Tests wait for processes and pages, too.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          globalSetup: [PROGRAMS_BUILD, "test/client/engines/engines-not-run.ts"],
          include: ["test/**/*.test.ts"],
          exclude: [...FAULTS, ...PROGRAMS],
          // Reading the modules anew for each of 300 files takes longer than most of the tests. So
          // what a test changes outside of itself it puts back.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "faults",
          globalSetup: [PROGRAMS_BUILD],
          include: FAULTS,
          // These wait even more: for leases, for disks that hang, for what is slow on purpose.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          globalSetup: [PROGRAMS_BUILD],
          include: PROPERTIES,
          env: { OUTLINE_TEST_FORM: "long" },
        },
      },
      {
        extends: true,
        test: {
          name: "programs",
          include: PROGRAMS,
          // What is fetched may take long to come.
          testTimeout: 900_000,
        },
      },
    ],
  },
});
