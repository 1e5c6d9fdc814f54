import { fileURLToPath } from "node:url";

/** What the bundler knows of its modules. */
interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/**
 * Parts of the app in the order in which they are fetched: each has these modules, and what they
 * import that no part before it has. Left to itself the bundler makes a file for each set of places
 * that share modules, and a page fetches seventy.
 */
const PARTS: readonly { readonly name: string | null; readonly of: readonly string[] }[] = [
  // The pages themselves: of what these share, the bundler makes a part as it is.
  { name: null, of: ["app/main.tsx", "app/consent/main.tsx"] },
  { name: "sign-in", of: ["app/sign-in/sign-in-page.tsx"] },
  { name: "open-outline", of: ["app/page/open-outline.tsx"] },
  { name: "leading", of: ["lib/leading.ts"] },
  {
    name: "late",
    of: [
      "lib/browser/storage-state.ts",
      "app/search/find-rows.ts",
      "app/state/followed-names.ts",
      "app/page/keep-view.ts",
      "app/outline/aids/outline-aids.tsx",
      "../src/core/text/html.ts",
      "app/page/status-detail.tsx",
      "app/page/page-menu.tsx",
      "app/page/trouble.tsx",
      "app/page/app-update.ts",
      "app/page/launch.ts",
      "app/sidebar/sidebar.tsx",
      "app/search/search-aids.tsx",
      "app/first-run/adopt-timezone.ts",
      "app/dialogs/dialog-host.tsx",
      // Without it what is unsent could not be sent, when the network is away just as it is asked for.
      "app/sign-in/sign-in-dialog.tsx",
    ],
  },
  { name: "reader", of: ["app/clipboard/pasted.ts", "../src/core/text/name.ts"] },
  {
    name: "dialogs",
    of: [
      "app/dialogs/jump-dialog.tsx",
      "app/dialogs/move-dialog.tsx",
      "app/dialogs/palette-dialog.tsx",
      "app/dialogs/capture-dialog.tsx",
      "app/dialogs/link-dialog.tsx",
      "app/dialogs/date-dialog.tsx",
      "app/dialogs/star-dialog.tsx",
    ],
  },
];

/** Answers for a module the part that it belongs to; null: the bundler's choice. */
export function appParts(): (id: string, modules: Modules) => string | null {
  let parts: ReadonlyMap<string, string | null> | undefined;
  return (id, modules) => {
    parts ??= assign(modules);
    return parts.get(id) ?? null;
  };
}

function assign(modules: Modules): ReadonlyMap<string, string | null> {
  const assigned = new Map<string, string | null>();
  for (const { name, of } of PARTS) {
    const left = of.map((path) => fileURLToPath(new URL(path, import.meta.url)));
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (assigned.has(id)) continue;
      assigned.set(id, name);
      const module = modules.getModuleInfo(id);
      if (module === null) throw new Error(`no module of the app: ${id}`);
      left.push(...module.importedIds);
    }
  }
  return assigned;
}
