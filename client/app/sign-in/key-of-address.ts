const PREFIX = "#key=";

/**
 * The key of a sign-in link, `/#key=ok_…`, which is taken out of the address at once. What follows `#`
 * goes to no server. It is only offered: whoever opens a link decides whether to sign in with it.
 */
export function takeKeyOfAddress(location: Location, history: History): string | undefined {
  if (!location.hash.startsWith(PREFIX)) return undefined;
  const key = location.hash.slice(PREFIX.length);
  history.replaceState(history.state, "", `${location.pathname}${location.search}`);
  return key === "" ? undefined : key;
}
