/** What a person who has just started the server reads. */
export function banner(options: {
  readonly version: string;
  readonly url: string;
  /** A key that was made by this start: the only time it is shown. */
  readonly newKey: string | undefined;
}): string {
  const { version, url, newKey } = options;
  const greeting = `outline-service ${version} is at ${url}\n`;
  if (newKey === undefined) return greeting;
  return `${greeting}
This is the first start: there is a user "me" now, with an API key that is not shown again:

  ${newKey}

Try it:

  curl ${url}/api/v1/nodes -H "Authorization: Bearer ${newKey}" -d '{"name": "Hello, **outline**"}'

`;
}
