import { allowTime, testRow } from "./expect-row.ts";
import { keysRow } from "./keys-row.ts";

allowTime();

testRow(
  keysRow,
  "[G16, J29] keys open what is theirs and nothing else, and what they had open ends with them",
);
