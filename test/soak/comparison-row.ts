import { startService, type TestService } from "../support/service.ts";
import { askForgetful, askLaggard, askRest, type Ask } from "./comparison/reads.ts";
import { Scene } from "./comparison/scene.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import type { SoakRow } from "./soak-row.ts";

/** What the API says, against what replicas show, while programs and devices write. */
export const comparisonRow: SoakRow = {
  name: "comparison",
  fault: "REST and websocket views of one outline, under writes of both kinds",
  goal: "0 differences",
  unit: "comparisons",
  full: 100_000,
  short: 3_000,
  budgetMs: 30 * 60_000,
  controls: {
    laggard: "the API is answered from a copy that is one append behind",
    forgetful: "the API keeps what it says of a node until its name changes",
  },
  async run({ amount, seed, control, goesOn }) {
    const service = await startService({ store: "level", exportLimitMs: 0 });
    try {
      const principal = await service.accounts.authenticate(service.key);
      if (principal === undefined) throw new Error("the key is not valid");
      const { outline } = principal;
      const scene = await Scene.open(service, outline, askOf(control, service, outline), seed);
      const { failures } = scene;
      let moments = 0;
      try {
        while (scene.compared < amount && failures.length === 0 && goesOn(scene.compared)) {
          await scene.moment();
          moments++;
        }
        if (failures.length === 0) await scene.rest();
      } finally {
        scene.close();
      }
      const { compared, identical, changes } = scene;
      if (failures.length === 0 && (changes < 4 * moments || identical < compared / 4)) {
        failures.push(`too little happened: ${changes} changes, ${identical} identical`);
      }
      return {
        done: compared,
        failures: failures.map((failure) => `seed ${seed}: ${failure}`),
        figures: { moments, identical, changes },
      };
    } finally {
      await service.close();
    }
  },
};

function askOf(control: string | undefined, service: TestService, outline: OutlineId): Ask {
  switch (control) {
    case "laggard":
      return askLaggard(service, outline);
    case "forgetful":
      return askForgetful(askRest(service, outline));
    default:
      return askRest(service, outline);
  }
}
