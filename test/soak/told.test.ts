import { allowTime, testRow } from "./expect-row.ts";
import { eventKillsRow } from "./event-kills-row.ts";
import { onceKillsRow } from "./once-kills-row.ts";
import { webhookKillsRow } from "./webhook-kills-row.ts";

allowTime();

testRow(
  webhookKillsRow,
  "[G8, U113, U116] who is told by a webhook is told of all that was answered, in order, however often the server is killed",
);
testRow(
  eventKillsRow,
  "[G10, U84, U89] who follows a server that is killed again and again is told of all that it has answered, in order",
);
testRow(
  onceKillsRow,
  "[G13, U60] what is sent again with the same key is done once, however often the server is killed before it answers",
);
