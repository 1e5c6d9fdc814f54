import { allowTime, testRow } from "./expect-row.ts";
import { longDayRow } from "./long-day-row.ts";

allowTime();

testRow(longDayRow, "[G12] nothing is kept of users who have gone");
