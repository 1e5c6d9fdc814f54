import { always, benchGroup, noGoal } from "../bench-group.ts";
import { measureCore } from "../core.ts";
import { atMost } from "../goal.ts";

/** What the outline itself costs, without a store and without a network. */
export const CORE_ROWS = benchGroup({
  name: "core",
  title: "The outline itself",
  sizes: [1000, 10_000, 100_000, 1_000_000],
  rounds: (nodes) => (nodes > 10_000 ? 1 : 3),
  measure: (nodes) => {
    // For the compiler: a server has done each of these some thousand times before it matters.
    measureCore(1000);
    return measureCore(nodes);
  },
  rows: [
    {
      id: "keystroke-bytes",
      what: "a keystroke, as an update",
      unit: "bytes",
      comparison: "absolute",
      goal: always(atMost(25)),
      nextGoal: atMost(16),
      limit: "Yjs' encoding (client, clock, left neighbour) takes all but the character.",
      read: (figures) => ({ measured: figures.keystrokeBytes }),
    },
    {
      id: "keystroke-cpu",
      what: "a keystroke from outside: judged, applied, indexed, CPU",
      unit: "µs",
      comparison: "absolute",
      goal: always(atMost(15)),
      floor: "Y.applyUpdate",
      limit:
        "Yjs takes 9 µs of 14 to decode, apply and encode the update again; judging it takes 2, index and repair 2.",
      read: (figures) => ({ measured: figures.receivedUs, floor: figures.bareReceivedUs }),
    },
    {
      id: "keystroke-typed-cpu",
      what: "a keystroke typed into the model here, CPU",
      unit: "µs",
      comparison: "absolute",
      goal: always(atMost(15)),
      nextGoal: atMost(8),
      floor: "the same in a document of Yjs alone",
      limit:
        "A Yjs transaction with its update takes 5 µs of 7 to 12; the rest is the time mark, the change sets and the index, which finds nothing to do.",
      read: (figures) => ({ measured: figures.keystrokeUs, floor: figures.bareKeystrokeUs }),
    },
    {
      id: "create-bytes",
      what: "a new node, as an update",
      unit: "bytes",
      comparison: "absolute",
      goal: always(atMost(130)),
      limit: "Name, 12 digits of key, 19 to 24 characters of register; Yjs adds 25.",
      read: (figures) => ({ measured: figures.createBytes }),
    },
    {
      id: "create-cpu",
      what: "a new node in the model, CPU",
      unit: "µs",
      comparison: "absolute",
      goal: always(atMost(20)),
      floor: "the structs of a node in a Yjs transaction and nothing else",
      limit:
        "Yjs alone takes half (transaction, encoding the update, three items); the index, place and order a quarter, markdown a twentieth. A fifth of all is the collector, which copies the 1.6 KB that a node stays as.",
      read: (figures) => ({ measured: figures.createUs, floor: figures.bareCreateUs }),
    },
    {
      id: "move-bytes",
      what: "a move, as an update",
      unit: "bytes",
      comparison: "absolute",
      goal: always(atMost(60)),
      limit:
        "39 characters of register (two places and two times) and two Yjs clocks: a digit more where clocks and order keys have grown.",
      read: (figures) => ({ measured: figures.moveBytes }),
    },
    {
      id: "move-cpu",
      what: "a move in the model, CPU",
      unit: "µs",
      comparison: "absolute",
      goal: always(atMost(30)),
      floor: "an attribute set in a Yjs transaction and nothing else",
      limit:
        "At 100,000 nodes Yjs alone takes two thirds: the register that is replaced is looked for three times in an array of 64,000 structs, and each look is a cache miss.",
      read: (figures) => ({ measured: figures.moveUs, floor: figures.bareMoveUs }),
    },
    {
      id: "retrieve-model",
      what: "reading one node of the model, CPU",
      unit: "µs",
      comparison: "absolute",
      goal: noGoal,
      floor: "its text and its register, asked of Yjs alone",
      limit:
        "Some 25 objects lie between a key and its JSON, and in a large outline each is a cache miss. Through REST the rest of the request hides it.",
      read: (figures) => ({ measured: figures.retrieveUs, floor: figures.bareRetrieveUs }),
    },
    {
      id: "list-model",
      what: "listing 20 children in the model, CPU",
      unit: "µs",
      comparison: "absolute",
      goal: noGoal,
      limit: "As above.",
      read: (figures) => ({ measured: figures.list20Us }),
    },
  ],
});
