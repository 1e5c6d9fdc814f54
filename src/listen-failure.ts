/** Why the server can't listen, as a sentence; undefined for what it can't explain. */
export function listenFailure(error: unknown, host: string, port: number): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use by another program: choose one with OUTLINE_PORT.`;
    case "EACCES":
      return `Port ${port} may not be used by this user: choose one above 1023 with OUTLINE_PORT.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is no address of this machine: choose one with OUTLINE_HOST.`;
    default:
      return undefined;
  }
}
