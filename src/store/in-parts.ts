/** Things in parts, each of which is closed as soon as it has so many bytes. */
export async function* inParts<T>(
  things: Iterable<T> | AsyncIterable<T>,
  most: number,
  bytesOf: (thing: T) => number,
): AsyncGenerator<readonly T[]> {
  let part: T[] = [];
  let bytes = 0;
  for await (const thing of things) {
    part.push(thing);
    bytes += bytesOf(thing);
    if (bytes < most) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}
