import type { PageStorage } from "../../../../client/app/page/page-storage.ts";

/** A page's storage, in memory; as a browser's, it holds texts. */
export function testStorage(values: Readonly<Record<string, unknown>> = {}): PageStorage {
  const texts = new Map(
    Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]),
  );
  return {
    read(name) {
      const text = texts.get(name);
      return text === undefined ? undefined : JSON.parse(text);
    },
    write(name, value) {
      if (value === undefined) texts.delete(name);
      else texts.set(name, JSON.stringify(value));
    },
  };
}
