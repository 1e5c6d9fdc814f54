import { readTrace } from "./trace-history.ts";
import { replay } from "./trace-replay.ts";

/* The whole histories of two real lists: as many merges as before come out as people made them. */

for (const name of ["awesome", "awesome-go"]) {
  const { commits, merges, equal } = replay(readTrace(name));
  console.log(`${name}: ${commits} commits, ${equal} of ${merges} merges as people made them`);
  if (equal < (name === "awesome" ? 33 : 453)) throw new Error("too few merges are equal");
}
