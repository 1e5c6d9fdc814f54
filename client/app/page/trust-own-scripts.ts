import { trustedTypesOf } from "./trusted-types.ts";

/**
 * Which addresses may become workers of the page: the service's own scripts. Browsers with Trusted Types
 * ask for each address that is given as a text, and where there is no such policy they refuse it.
 */
export function trustOwnScripts(): void {
  trustedTypesOf()?.createPolicy("default", {
    createScriptURL(address) {
      const { origin, pathname } = new URL(address, location.href);
      const isOwn = origin === location.origin;
      if (isOwn && (pathname === "/sw.js" || pathname.startsWith("/assets/"))) return address;
      throw new TypeError("a script of somebody else");
    },
  });
}
