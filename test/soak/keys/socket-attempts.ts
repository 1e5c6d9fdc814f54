import { encodeAwarenessUpdate } from "../../../src/protocol/awareness-update.ts";
import type { Random } from "../../../src/core/node-key.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import type { ClientMessage } from "../../../src/protocol/message.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { SocketPeer } from "../../support/socket-peer.ts";
import { until } from "../../support/socket-until.ts";
import { CONTENT, handmadeUpdate, inRoot } from "../hostile-messages/handmade-update.ts";
import { nodeKeyIn } from "./key-world.ts";
import type { Actor } from "./rest-attempts.ts";
import { PATIENCE_MS } from "../hostile-messages/patience.ts";

/** What is known of a victim's connections: a stranger may guess as well as know. */
const CLIENTS = [1, 2, 3, 7, 65_536];
const PING = 0x89;

/** Every message that a client can send, with a victim's ids in it. A new kind has to be added. */
const MESSAGES: {
  readonly [Kind in ClientMessage["kind"]]: (actor: Actor, random: Random) => ClientMessage;
} = {
  step1: (_actor, random) => ({
    kind: "step1",
    stateVector: oneOf(random, [new Uint8Array([0]), new Uint8Array([1, 1, 0])]),
  }),
  step2: (actor, random) => ({ kind: "step2", update: updateOf(actor, random) }),
  update: (actor, random) => ({ kind: "update", update: updateOf(actor, random) }),
  awareness: (_actor, random) => ({
    kind: "awareness",
    update: encodeAwarenessUpdate([
      { client: oneOf(random, CLIENTS), clock: 1_000, state: Buffer.from("{}") },
    ]),
  }),
  query_awareness: () => ({ kind: "query_awareness" }),
  time_question: () => ({ kind: "time_question" }),
  hello: (_actor, random) => ({
    kind: "hello",
    version: 1,
    instance: new Uint8Array(16),
    epoch: "",
    seq: integerBelow(random, 3),
  }),
  lease_request: () => ({ kind: "lease_request", secret: new Uint8Array(16) }),
  lease_claim: (_actor, random) => ({
    kind: "lease_claim",
    client: oneOf(random, CLIENTS),
    clock: 2 ** 40,
  }),
};

function updateOf({ victim }: Actor, random: Random): Uint8Array {
  const entry = nodeKeyIn(oneOf(random, victim.nodeIds));
  const structs = [inRoot("nodes", entry, CONTENT.type(2))];
  return handmadeUpdate([{ client: oneOf(random, CLIENTS), structs }]);
}

/** One connection: to the victim's outline and to one's own, every kind of message in any order. */
export async function trySocket(
  actor: Actor,
  random: Random,
  port: number,
  dialect: "stock" | "extended" = oneOf(random, ["stock", "extended"] as const),
): Promise<string | undefined> {
  const headers = { "sec-websocket-protocol": `${SUBPROTOCOL[dialect]}, ${actor.key}` };
  const answerAt = async (path: string): Promise<SocketPeer> =>
    SocketPeer.connect({ port, path, headers });
  const where = `${actor.name} on a ${dialect} websocket`;

  const theirs = await answerAt(`/sync/${actor.victim.outline}`);
  theirs.socket.destroy();
  const nobodys = await answerAt(`/sync/${actor.victim.outline.split("").toReversed().join("")}`);
  nobodys.socket.destroy();
  const own = await answerAt("/sync/me");
  try {
    if (actor.must === "be_unauthorized") {
      const statuses = [theirs, nobodys, own].map(({ answer }) => answer.status);
      return statuses.every((status) => status === 401)
        ? undefined
        : `${where}: ${statuses.join()}`;
    }
    const { status } = theirs.answer;
    const isSame = JSON.stringify(theirs.answer.body) === JSON.stringify(nobodys.answer.body);
    if (!actor.isOfVictim && (status === 101 || !isSame)) {
      return `${where} was answered ${status} for another's outline`;
    }
    if (actor.isOfVictim && actor.must === "not_find" && status !== 403) {
      return `${where} was answered ${status} for the whole outline`;
    }
    if (own.answer.status !== 101) return undefined;
    const kinds = Object.keys(MESSAGES) as (keyof typeof MESSAGES)[];
    if (dialect === "extended") own.frame(encodeMessage(MESSAGES.hello(actor, random)));
    for (let count = 0; count < 6; count++) {
      own.frame(encodeMessage(MESSAGES[oneOf(random, kinds)](actor, random)));
    }
    own.frame(new Uint8Array(0), PING);
    await until(
      () => own.isClosed || own.closeCode !== undefined || own.hasPong,
      "an answer",
      PATIENCE_MS,
    );
    const told = Buffer.concat(own.messages).toString("latin1");
    // The keys of nodes are what is sent: it may come back from one's own outline.
    const sent = actor.victim.nodeIds.map(nodeKeyIn);
    const seen = actor.secrets.find(
      (secret) => told.includes(secret) && !sent.some((key) => key === secret),
    );
    return seen === undefined ? undefined : `${where} was told ${seen}`;
  } finally {
    own.socket.destroy();
  }
}
