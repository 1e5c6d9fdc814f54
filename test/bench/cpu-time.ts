import { cpuUsage } from "node:process";

/** Processor milliseconds that this process has used, its helper threads' among them. */
export function cpuMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
}
