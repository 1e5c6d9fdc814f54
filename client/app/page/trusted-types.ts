/** What of Trusted Types the app uses; TypeScript's library does not have them. */
interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: {
      readonly createHTML?: (html: string) => string;
      readonly createScriptURL?: (address: string) => string;
    },
  ): {
    /** Gives an object that the browser accepts where a text would be refused. */
    createHTML(html: string): string;
  };
}

/** Undefined in browsers that don't have them. */
export function trustedTypesOf(): TrustedTypePolicyFactory | undefined {
  return (globalThis as { readonly trustedTypes?: TrustedTypePolicyFactory }).trustedTypes;
}
