/** A path that is there, in the words of the router: `/api/v1/nodes/:id`. */
interface KnownPath {
  readonly segments: readonly string[];
  /** Of its route, from the start. [Q19] */
  readonly methods: Set<string>;
  readonly isPublic: boolean;
}

export interface AllowedMethods {
  /** As the `Allow` header names them. */
  readonly allow: string;
  /** No key is needed. */
  readonly isPublic: boolean;
}

/** Which methods each path has: for requests that the router finds no route for. */
export class AllowedMethodsTable {
  /** Of all routes, which are there from the start. [Q19] */
  readonly #paths = new Map<string, KnownPath>();

  add(path: string, method: string, isPublic: boolean): void {
    const known = this.#paths.get(path);
    if (known !== undefined) known.methods.add(method);
    else {
      const methods = new Set(["OPTIONS", method]);
      this.#paths.set(path, { segments: segmentsOf(path), methods, isPublic });
    }
  }

  /**
   * What a path allows, encoded or not, with a trailing slash or without; undefined if unknown.
   * @param url of a request, which may be a whole address (RFC 9112, 3.2.2)
   */
  of(url: string): AllowedMethods | undefined {
    const [path = ""] = url.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/, 1);
    const segments = segmentsOf(path).map(decoded);
    for (const known of this.#paths.values()) {
      if (!matches(known.segments, segments)) continue;
      return { allow: [...known.methods].toSorted().join(", "), isPublic: known.isPublic };
    }
    return undefined;
  }
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, "").split("/");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) =>
      part.startsWith(":") ? segments[index] !== "" : part === segments[index],
    )
  );
}
