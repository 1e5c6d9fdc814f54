import type { OutlineLog } from "../../../src/documents/log/outline-log.ts";

/** A log that says of what it could not store that it is stored. */
export function lyingLog(log: OutlineLog): OutlineLog {
  const heads = new Map<string, number>();
  const append: OutlineLog["append"] = async (outline, request) => {
    const said = (heads.get(outline) ?? 0) + request.updates.length;
    const head = await log.append(outline, request).catch(() => said);
    heads.set(outline, head);
    return head;
  };
  const probe: OutlineLog["probe"] = () => log.probe().catch(() => undefined);
  return new Proxy(log, {
    get(target, name: keyof OutlineLog) {
      if (name === "append") return append;
      return name === "probe" ? probe : target[name].bind(target);
    },
  });
}
