/** Calls back when this process ends. The runner of the tests ends its processes by a signal. */
export function atExit(end: () => void): void {
  process.once("SIGTERM", () => process.exit());
  process.once("exit", end);
}
