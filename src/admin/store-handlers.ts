import { type AdminParts, DONE, type Handlers } from "./operation-handlers.ts";

/** The store as a whole. */
export function storeHandlers({ whole }: AdminParts): Handlers<"backup" | "restore" | "verify"> {
  return {
    backup: ({ folder }, { onProgress }) => whole.backup(folder, (at) => onProgress?.(at)),
    restore: ({ folder }, { onProgress, onItem }) =>
      whole.restore(
        folder,
        (at) => onProgress?.(at),
        (lacking) => onItem?.({ ...lacking }),
      ),
    async verify(_params, { onItem, onProgress }) {
      const findings = await whole.verify((at) => onProgress?.(at));
      for (const { outline, finding } of findings) await onItem?.({ outline, finding });
      return DONE;
    },
  };
}
