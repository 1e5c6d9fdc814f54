import type { Notices } from "./notices.ts";

/**
 * Registers the service worker, and says when it has fetched a newer version of the app, which takes
 * over when the person reloads.
 *
 * @param reload leaves the page once everything is stored
 */
export async function watchAppUpdates(
  workers: ServiceWorkerContainer | undefined,
  notices: Notices,
  reload: () => void,
): Promise<void> {
  if (workers === undefined) return;
  try {
    const registration = await workers.register("/sw.js");
    const look = (): void => {
      const { waiting, active } = registration;
      // The very first version waits for nobody.
      if (waiting === null || active === null) return;
      notices.show("There is a newer version of the app.", {
        label: "Reload to get it",
        run() {
          const next = registration.waiting;
          // Another tab has let it take over.
          if (next === null) return reload();
          next.addEventListener("statechange", () => {
            if (next.state === "activated") reload();
          });
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
          next.postMessage("take over");
        },
      });
    };
    registration.addEventListener("updatefound", () => {
      registration.installing?.addEventListener("statechange", look);
    });
    look();
  } catch {
    // Private windows and pages without TLS have no service worker; the app does without.
  }
}
