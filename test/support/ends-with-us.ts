import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Its input ends with the process that has begun it. Where nobody takes the end of an orphan, what has
 * ended seems to run for ever: so it waits for ten seconds at most.
 */
const WATCH = `
  read -r _
  kill -"$2" "$1" || exit 0
  looks=100
  while [ $looks -gt 0 ] && kill -0 "$1"; do sleep 0.1; looks=$((looks - 1)); done
  rm -rf "$3"
  rmdir "\${3%/*}"
`;

/**
 * Ends a child when this process has ended, however that has ended. Then removes a folder, and the one
 * around it when that is empty. The runner of the tests kills its processes half a second after it has
 * asked them to end, and what they have begun stays: so a process outside of them looks for their end.
 */
export function endsWithUs(child: ChildProcess, signal: "KILL" | "QUIT", folder: string): void {
  if (child.pid === undefined) return;
  const watcher = spawn("sh", ["-c", WATCH, "sh", String(child.pid), signal, folder], {
    // What is sent to all processes of a terminal is not for it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Neither keeps this process from ending.
  watcher.unref();
  (watcher.stdin as Socket).unref();
  child.once("exit", () => watcher.kill("SIGKILL"));
}
