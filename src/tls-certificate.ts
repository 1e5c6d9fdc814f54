import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Config } from "./config.ts";
import { StartError } from "./start-error.ts";

/** Where the certificate and its key are, each in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate, with those that lead to it, and its key, both in PEM. */
export interface TlsCertificate {
  readonly cert: string;
  readonly key: string;
  /** Milliseconds since 1970; from then on no client takes it. */
  readonly endsAt: number;
}

/** Undefined where TLS is not this server's. */
export function tlsFilesOf({ tlsCert, tlsKey }: Config): TlsFiles | undefined {
  return tlsCert === undefined || tlsKey === undefined ? undefined : { cert: tlsCert, key: tlsKey };
}

/**
 * Reads a certificate and its key, and sees that TLS can be spoken with them.
 * @throws StartError with a sentence that names the file; nothing of the key is in it
 */
export async function readTlsCertificate(files: TlsFiles): Promise<TlsCertificate> {
  const cert = await readPem("OUTLINE_TLS_CERT", files.cert);
  const key = await readPem("OUTLINE_TLS_KEY", files.key);
  const certificate = attempt(
    () => new X509Certificate(cert),
    `OUTLINE_TLS_CERT: ${files.cert} has no certificate in PEM.`,
  );
  const privateKey = attempt(
    () => createPrivateKey(key),
    `OUTLINE_TLS_KEY: ${files.key} has no private key in PEM without a passphrase.`,
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StartError(`OUTLINE_TLS_KEY: ${files.key} is not the key of ${files.cert}.`);
  }
  // Also of what follows in the file, and whether the key is strong enough.
  attempt(
    () => createSecureContext({ cert, key }),
    `OUTLINE_TLS_CERT: ${files.cert} can't be used for TLS.`,
  );
  return { cert, key, endsAt: Date.parse(certificate.validTo) };
}

async function readPem(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new StartError(`${variable}: ${file} can't be read.`, { cause: error });
  }
}

function attempt<T>(work: () => T, sentence: string): T {
  try {
    return work();
  } catch (error) {
    throw new StartError(sentence, { cause: error });
  }
}
