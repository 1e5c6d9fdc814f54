import { allowTime, testRow } from "./expect-row.ts";
import { mixedLoadRow } from "./mixed-load-row.ts";

allowTime();

testRow(
  mixedLoadRow,
  "[G31] people who work over REST and websockets don't notice attack after attack",
);
