import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import type { Socket, SocketListener } from "../connection/socket.ts";
import { sessionAddress, syncAddress } from "../open.ts";
import type { Platform, SessionReply } from "../platform.ts";
import { localStorageWords } from "./local-storage-words.ts";
import { sessionReply } from "../session-reply.ts";

const SESSION_MS = 4_000;
/** What a socket says that never opened, or broke. */
const BROKEN = 1006;

/**
 * What a browser gives the library.
 * @param url of the service
 * @param key absent where the page's cookie tells who it is
 * @param name of the store in IndexedDB, if it is there
 */
export function browserPlatform(
  url: string,
  key: string | undefined,
  name: string | undefined,
): Platform {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => Math.random(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    setTimer(callback, ms) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    yieldNow,
    openSocket: (outline, listener) => openSocket(syncAddress(url, outline), key, listener),
    askSession: () => askSession(url, key),
    lastWords: name === undefined ? undefined : localStorageWords(name),
    onOnline: (listener) => listen(globalThis, "online", listener),
    onHide(listener) {
      const onVisibility = (): void => {
        if (document.visibilityState === "hidden") listener();
      };
      const stops = [
        listen(globalThis, "pagehide", listener),
        ...(typeof document === "undefined"
          ? []
          : [listen(document, "visibilitychange", onVisibility)]),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function listen(target: EventTarget, name: string, listener: () => void): () => void {
  target.addEventListener(name, listener);
  return () => target.removeEventListener(name, listener);
}

/** A task of its own, and not a timer: those are held back in the background and when nested. */
function yieldNow(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}

function openSocket(address: string, key: string | undefined, listener: SocketListener): Socket {
  const protocols = key === undefined ? [SUBPROTOCOL.extended] : [SUBPROTOCOL.extended, key];
  const websocket = new WebSocket(address, protocols);
  websocket.binaryType = "arraybuffer";
  const listening = new AbortController();
  const { signal } = listening;
  websocket.addEventListener("open", () => listener.onOpen(), { signal });
  websocket.addEventListener(
    "message",
    ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) listener.onMessage(new Uint8Array(data));
    },
    { signal },
  );
  websocket.addEventListener("close", ({ code }) => listener.onClose(code || BROKEN), { signal });
  return {
    send(bytes) {
      // Browsers want bytes that nobody shares, which those of an encoder are.
      if (websocket.readyState === WebSocket.OPEN) websocket.send(bytes as Uint8Array<ArrayBuffer>);
    },
    close() {
      listening.abort();
      websocket.close();
    },
  };
}

async function askSession(url: string, key: string | undefined): Promise<SessionReply> {
  try {
    const response = await fetch(sessionAddress(url), {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(SESSION_MS),
    });
    return sessionReply(response.status, await response.json());
  } catch {
    return { kind: "unknown" };
  }
}
