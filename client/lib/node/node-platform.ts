import { randomBytes } from "node:crypto";
import { setImmediate as yieldNow } from "node:timers/promises";
import WebSocket from "ws";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import type { Socket, SocketListener } from "../connection/socket.ts";
import { sessionAddress, syncAddress } from "../open.ts";
import type { Platform, SessionReply } from "../platform.ts";
import { sessionReply } from "../session-reply.ts";

const SESSION_MS = 4_000;
const CLOSE_MS = 1_000;
/** The server pings every 15 seconds. Of a machine or a line that is gone nobody tells who only reads. */
const SILENT_MS = 60_000;

/** What a Node program gives the library. @param url of the service */
export function nodePlatform(url: string, key: string): Platform {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => Math.random(),
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
    setTimer(callback, ms) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    yieldNow: () => yieldNow(),
    openSocket: (outline, listener) => openSocket(syncAddress(url, outline), key, listener),
    askSession: () => askSession(url, key),
    // A program is not told of its network, nor that it will be killed.
    onOnline: () => () => undefined,
    onHide: () => () => undefined,
  };
}

function openSocket(address: string, key: string, listener: SocketListener): Socket {
  const websocket = new WebSocket(address, [SUBPROTOCOL.extended, key], {
    perMessageDeflate: false,
  });
  websocket.on("upgrade", ({ socket }) => {
    websocket.once("open", () => socket.setTimeout(SILENT_MS, () => websocket.terminate()));
  });
  websocket.on("open", () => listener.onOpen());
  websocket.on("message", (data: Buffer) => listener.onMessage(new Uint8Array(data)));
  websocket.on("close", (code) => listener.onClose(code));
  // "close" follows, and says all there is to know.
  websocket.on("error", () => undefined);
  return {
    send(bytes) {
      if (websocket.readyState === WebSocket.OPEN) websocket.send(bytes);
    },
    close() {
      websocket.removeAllListeners();
      websocket.on("error", () => undefined);
      // What was just sent may still arrive; but a dead connection keeps no program alive.
      websocket.close();
      setTimeout(() => websocket.terminate(), CLOSE_MS).unref();
    },
  };
}

async function askSession(url: string, key: string): Promise<SessionReply> {
  try {
    const response = await fetch(sessionAddress(url), {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(SESSION_MS),
    });
    return sessionReply(response.status, await response.json());
  } catch {
    return { kind: "unknown" };
  }
}
