import { allowTime, testRow } from "./expect-row.ts";
import { costRow } from "./cost-row.ts";

allowTime();

testRow(
  costRow,
  "[G50] nothing that a client can send costs more time or memory than is charged for its bytes",
);
