/** Small JSON values that a page can read before anything else is loaded. Never throws. */
export interface PageStorage {
  /** The stored value; undefined when there is none, or none can be had. To be checked by the reader. */
  read(name: string): unknown;
  /** Undefined removes it. */
  write(name: string, value: unknown): void;
}

const PREFIX = "outline.";

/** The browser's own; where storage is refused, values last as long as the page. */
export function browserPageStorage(): PageStorage {
  const memory = new Map<string, string>();
  return {
    read(name) {
      try {
        const text = memory.get(name) ?? localStorage.getItem(PREFIX + name);
        return text === null ? undefined : JSON.parse(text);
      } catch {
        return undefined;
      }
    },
    write(name, value) {
      const text = value === undefined ? undefined : JSON.stringify(value);
      memory.delete(name);
      try {
        if (text === undefined) localStorage.removeItem(PREFIX + name);
        else localStorage.setItem(PREFIX + name, text);
      } catch {
        if (text !== undefined) memory.set(name, text);
      }
    },
  };
}
