const LONGEST = 1000;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether codes may be sent to an address at all: by TLS, or to a program on the person's machine. */
export function isRedirectAddress(text: string): boolean {
  if (text.length > LONGEST || !URL.canParse(text) || text.includes("#")) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || isLoopback(url);
}

/** Whether it leads to the machine on which the person is, where any program may listen. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && LOOPBACK_HOSTS.has(hostname);
}

/**
 * Whether an address is one of those that a client has registered: character by character, but for the
 * port of a program on the person's machine, which takes a free one (RFC 8252, 7.3).
 */
export function isRegistered(text: string, registered: readonly string[]): boolean {
  if (!isRedirectAddress(text)) return false;
  return registered.some((each) => each === text || isSameButForPort(each, text));
}

function isSameButForPort(registered: string, text: string): boolean {
  const [one, other] = [new URL(registered), new URL(text)];
  if (!isLoopback(one) || !isLoopback(other)) return false;
  return withoutPort(registered, one) === withoutPort(text, other);
}

/** What was written, not what it is normalized to. */
function withoutPort(text: string, { hostname, port }: URL): string {
  const start = `http://${hostname}`;
  const rest = text.slice(start.length);
  if (!text.startsWith(start)) return text;
  return start + (port !== "" && rest.startsWith(`:${port}`) ? rest.slice(port.length + 1) : rest);
}
