import { inEngine } from "./engine-stage.ts";
import { SCENARIOS } from "./scenarios/scenarios.ts";

await inEngine("webkit", SCENARIOS);
