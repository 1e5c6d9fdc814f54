/** What attribute characters of RFC 8187 are not, of those that `encodeURIComponent` leaves as they are. */
const NOT_IN_VALUES = /['()*]/g;

/** A `Content-Disposition` that has an answer kept as a file of that name (RFC 6266). */
export function dispositionOf(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(fileName).replace(
    NOT_IN_VALUES,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
