import { StartError } from "./start-error.ts";

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The variables by which a person chooses another one. */
type AddressVariables = { readonly [Part in keyof ListenAddress]: string };

/** What to throw when the server can't listen: a StartError, where there is something to say. */
export function listenFailure(
  error: unknown,
  address: ListenAddress,
  variables: AddressVariables,
): unknown {
  const sentence = sentenceOf(error, address, variables);
  return sentence === undefined ? error : new StartError(sentence, { cause: error });
}

function sentenceOf(
  error: unknown,
  { host, port }: ListenAddress,
  variables: AddressVariables,
): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use by another program: choose one with ${variables.port}.`;
    case "EACCES":
      return `Port ${port} may not be used by this user: choose one above 1023 with ${variables.port}.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is no address of this machine: choose one with ${variables.host}.`;
    default:
      return undefined;
  }
}
