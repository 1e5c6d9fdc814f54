import { allowTime, testRow } from "./expect-row.ts";
import { connectionsRow } from "./connections-row.ts";
import { returnRow } from "./return-row.ts";
import { slowLineRow } from "./slow-line-row.ts";
import { slowReaderRow } from "./slow-reader-row.ts";

allowTime();

testRow(connectionsRow, "[G11] many connect at once, and again after a crash");
testRow(
  returnRow,
  "[G2, S110] devices that come back after a kill open no outline, and lose no edit",
);
testRow(slowLineRow, "[S48, S49] a device on a slow line that breaks gets everything, once");
testRow(slowReaderRow, "[G9] readers that stop reading cost their queues, and come back");
