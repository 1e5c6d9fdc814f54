import type { Server } from "node:http";
import { Server as TlsServer } from "node:tls";
import type { FastifyBaseLogger } from "fastify";
import { readTlsCertificate, type TlsCertificate, type TlsFiles } from "./tls-certificate.ts";

/** How often the files are looked at: watching would miss links that are set anew. */
const LOOK_MS = 10_000;

interface TlsReloadOptions {
  readonly files: TlsFiles;
  /** What the server has. */
  readonly certificate: TlsCertificate;
  readonly server: Server;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const EXPIRED = "the TLS certificate has expired";

/**
 * Gives a server the certificate that is in its files now. Connections that are open go on with the
 * one that they have. Files that can't be used change nothing, and are logged once, and so is a
 * certificate that has expired.
 */
export class TlsReload {
  readonly #options: TlsReloadOptions;
  #certificate: TlsCertificate;
  /** What is wrong with the files; empty when nothing is. */
  #wrong = "";

  constructor(options: TlsReloadOptions) {
    this.#options = options;
    this.#certificate = options.certificate;
  }

  /** Looks at the files again and again. @returns what ends that */
  begin(): () => void {
    const timer = setInterval(() => void this.look(), LOOK_MS).unref();
    return () => clearInterval(timer);
  }

  /** Looks at the files once. Never rejects. */
  async look(): Promise<void> {
    const { files, server, logger, now } = this.#options;
    try {
      const found = await readTlsCertificate(files);
      const wrong = found.endsAt < now() ? EXPIRED : "";
      if (wrong !== "" && wrong !== this.#wrong) logger.error({ file: files.cert }, wrong);
      this.#wrong = wrong;
      if (found.cert === this.#certificate.cert && found.key === this.#certificate.key) return;
      this.#certificate = found;
      if (server instanceof TlsServer) server.setSecureContext(found);
      logger.info({ file: files.cert }, "new TLS certificate");
    } catch (error) {
      const wrong = error instanceof Error ? error.message : String(error);
      if (wrong === this.#wrong) return;
      this.#wrong = wrong;
      logger.error({ err: error }, "the TLS certificate stays as it was");
    }
  }
}
