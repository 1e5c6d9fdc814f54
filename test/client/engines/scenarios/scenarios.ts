import type { EngineStage } from "../engine-stage.ts";
import { badDays } from "./bad-days.ts";
import { clipboard } from "./clipboard.ts";
import { composing } from "./composing.ts";
import { devices } from "./devices.ts";
import { finding } from "./finding.ts";
import { mirrors } from "./mirrors.ts";
import { storage } from "./storage.ts";
import { structure } from "./structure.ts";
import { writing } from "./writing.ts";

/** What every engine must do, each a group of tests. */
export const SCENARIOS: readonly ((stage: EngineStage) => void)[] = [
  writing,
  structure,
  mirrors,
  clipboard,
  composing,
  finding,
  devices,
  storage,
  badDays,
];
