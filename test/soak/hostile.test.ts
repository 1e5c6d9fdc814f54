import { allowTime, testRow } from "./expect-row.ts";
import { hostileMessagesRow } from "./hostile-messages-row.ts";
import { hostileRequestsRow } from "./hostile-requests-row.ts";

allowTime();

testRow(
  hostileMessagesRow,
  "[G14] hostile messages harm nobody, and nothing is acknowledged that is not there",
);
testRow(
  hostileRequestsRow,
  "[G15] hostile requests are refused as documented, and change and tell nothing",
);
