import type { Socket } from "node:net";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import type { Site } from "./abuse.ts";
import { openTcp } from "./http-wire.ts";
import type { Tally } from "./tally.ts";

/** A websocket of which every byte is decided here, and of which nothing is read when it is open. */
export async function openRawWebsocket(
  site: Site,
  tally: Tally,
  key = site.key,
): Promise<Socket | undefined> {
  const socket = await openTcp(site);
  if (socket === undefined) {
    tally.add("notTaken");
    return undefined;
  }
  socket.write(
    [
      "GET /sync/me HTTP/1.1",
      "host: abuse.test",
      "upgrade: websocket",
      "connection: Upgrade",
      "sec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==",
      "sec-websocket-version: 13",
      `sec-websocket-protocol: ${SUBPROTOCOL.stock}, ${key}`,
      "\r\n",
    ].join("\r\n"),
  );
  const head = await new Promise<string>((resolve) => {
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => {
      text += part;
      if (text.includes("\r\n\r\n")) resolve(text);
    });
    socket.once("close", () => resolve(text));
  });
  socket.removeAllListeners("data");
  const status = head.slice(9, 12);
  tally.add(`answered${status}`);
  socket.once("close", () => tally.add("closed"));
  if (status === "101") return socket;
  socket.destroy();
  return undefined;
}
