import type { FirstKey } from "./first-key.ts";

/** What a person who has just started the server reads. */
export function banner(options: {
  readonly version: string;
  readonly url: string;
  /** A key that was made by this start. */
  readonly firstKey: FirstKey | undefined;
}): string {
  const { version, url, firstKey } = options;
  const greeting = `outline-service ${version} is at ${url}\n`;
  switch (firstKey?.kind) {
    case undefined:
      return greeting;
    case "printed":
      return `${greeting}
This is the first start: there is a user "me" now, with an API key that is not shown again:

  ${firstKey.key}

Try it:

  ${tryLine(url, firstKey.key)}

`;
    case "kept":
      return `${greeting}
This is the first start: there is a user "me" now. Its API key is in this file, which only the
server's own user can read. Take it from there, and delete the file:

  ${firstKey.file}

Try it:

  ${tryLine(url, `$(cat '${firstKey.file}')`)}

`;
  }
}

function tryLine(url: string, key: string): string {
  return `curl ${url}/api/v1/nodes -H "Authorization: Bearer ${key}" -d '{"name": "Hello, **outline**"}'`;
}
