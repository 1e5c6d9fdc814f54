/**
 * The content codings that a client accepts, as its `Accept-Encoding` says, in small letters: of
 * `br;q=1, gzip;q=0` only `br`.
 */
export function acceptedCodings(header: string | readonly string[] = ""): ReadonlySet<string> {
  const accepted = new Set<string>();
  for (const item of String(header).split(",")) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) accepted.add(coding);
  }
  return accepted;
}
