import type { Abuse } from "./abuse.ts";
import { foreignAttributes, noteAttributes } from "./attacks/attributes.ts";
import { clientIds } from "./attacks/client-ids.ts";
import { costlyLists } from "./attacks/costly-lists.ts";
import { costlyNames } from "./attacks/costly-names.ts";
import { deletions } from "./attacks/deletions.ts";
import { eventStreams } from "./attacks/event-streams.ts";
import { exporting } from "./attacks/exporting.ts";
import { greetings } from "./attacks/greetings.ts";
import { growingOutline } from "./attacks/growing-outline.ts";
import { hostileReceivers } from "./attacks/hostile-receivers.ts";
import { largeJson } from "./attacks/large-json.ts";
import { longEntities } from "./attacks/long-entities.ts";
import { marksInFront } from "./attacks/marks-in-front.ts";
import { mirrors } from "./attacks/mirrors.ts";
import { openFormats } from "./attacks/open-formats.ts";
import { openingTooLarge } from "./attacks/opening-too-large.ts";
import { pings } from "./attacks/pings.ts";
import { pipelinedRequests } from "./attacks/pipelined-requests.ts";
import { presences } from "./attacks/presences.ts";
import { questions } from "./attacks/questions.ts";
import { refusedAtTheEnd } from "./attacks/refused-at-the-end.ts";
import { rings } from "./attacks/rings.ts";
import { searches } from "./attacks/searches.ts";
import { seeds } from "./attacks/seeds.ts";
import { shortcuts } from "./attacks/shortcuts.ts";
import { slowHeaders } from "./attacks/slow-headers.ts";
import { smallRequests } from "./attacks/small-requests.ts";
import { sparseQuestions } from "./attacks/sparse-questions.ts";
import { unfinishedFrames } from "./attacks/unfinished-frames.ts";
import { unfinishedMessages } from "./attacks/unfinished-messages.ts";
import { unreadAnswers } from "./attacks/unread-answers.ts";
import { unreadBodies } from "./attacks/unread-bodies.ts";
import { wrongKeys } from "./attacks/wrong-keys.ts";

/** Every way that was found or thought of. */
export const ABUSES: readonly Abuse[] = [
  unreadBodies,
  openFormats,
  longEntities,
  greetings,
  rings,
  growingOutline,
  openingTooLarge,
  unfinishedMessages,
  unfinishedFrames,
  costlyNames,
  sparseQuestions,
  shortcuts,
  pipelinedRequests,
  unreadAnswers,
  slowHeaders,
  smallRequests,
  wrongKeys,
  largeJson,
  costlyLists,
  exporting,
  questions,
  presences,
  pings,
  refusedAtTheEnd,
  marksInFront,
  noteAttributes,
  foreignAttributes,
  searches,
  seeds,
  clientIds,
  deletions,
  mirrors,
  eventStreams,
  hostileReceivers,
];
