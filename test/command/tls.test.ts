import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { StartError } from "../../src/start-error.ts";
import { readTlsCertificate, tlsFilesOf, type TlsFiles } from "../../src/tls-certificate.ts";
import { TlsReload } from "../../src/tls-reload.ts";
import { QUIET_LOGGER } from "../support/quiet-logger.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/tls", import.meta.url));

const fixture = (name: string): string => join(FIXTURES, name);

const FIRST = { cert: fixture("first.cert.pem"), key: fixture("first.key.pem") };
const SECOND = { cert: fixture("second.cert.pem"), key: fixture("second.key.pem") };

/** A copy of the first certificate, in files that a test may change. */
async function ownFiles(): Promise<TlsFiles> {
  const folder = await mkdtemp(join(tmpdir(), "outline-tls-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  await replace(files, FIRST);
  return files;
}

async function replace(files: TlsFiles, by: TlsFiles): Promise<void> {
  await copyFile(by.cert, files.cert);
  await copyFile(by.key, files.key);
}

async function refusalOf(files: TlsFiles): Promise<string> {
  const error: unknown = await readTlsCertificate(files).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(StartError);
  return error instanceof StartError ? error.message : "";
}

test("[C23] a certificate and its key are named together", () => {
  const both = readConfig({ "tls-key": "k.pem" }, { OUTLINE_TLS_CERT: "c.pem" });
  expect(both.kind === "config" ? tlsFilesOf(both.config) : both).toEqual({
    cert: "c.pem",
    key: "k.pem",
  });
  const neither = readConfig({}, { OUTLINE_TLS_CERT: "", OUTLINE_TLS_KEY: "" });
  expect(neither.kind === "config" ? tlsFilesOf(neither.config) : neither).toBe(undefined);
  expect([
    readConfig({}, { OUTLINE_TLS_CERT: "c.pem" }),
    readConfig({ "tls-key": "k" }, {}),
  ]).toEqual([
    {
      kind: "bad",
      sentences: ["OUTLINE_TLS_CERT needs the key of the certificate in OUTLINE_TLS_KEY."],
    },
    {
      kind: "bad",
      sentences: ["--tls-key needs the certificate of the key in OUTLINE_TLS_CERT."],
    },
  ]);
});

test("[C23] files that can't be used are told in a sentence that names them", async () => {
  const files = await ownFiles();
  const none = join(FIXTURES, "none.pem");
  expect(await readTlsCertificate(files)).toEqual({
    cert: await readFile(FIRST.cert, "utf8"),
    key: await readFile(FIRST.key, "utf8"),
    endsAt: expect.any(Number) as number,
  });
  const sentences = [
    await refusalOf({ ...files, cert: none }),
    await refusalOf({ ...files, key: none }),
    await refusalOf({ ...files, cert: FIRST.key }),
    await refusalOf({ ...files, key: FIRST.cert }),
    await refusalOf({ ...files, key: SECOND.key }),
  ];
  await writeFile(files.cert, "");
  sentences.push(await refusalOf(files));
  expect(sentences).toEqual([
    `OUTLINE_TLS_CERT: ${none} can't be read.`,
    `OUTLINE_TLS_KEY: ${none} can't be read.`,
    `OUTLINE_TLS_CERT: ${FIRST.key} has no certificate in PEM.`,
    `OUTLINE_TLS_KEY: ${FIRST.cert} has no private key in PEM without a passphrase.`,
    `OUTLINE_TLS_KEY: ${SECOND.key} is not the key of ${files.cert}.`,
    `OUTLINE_TLS_CERT: ${files.cert} has no certificate in PEM.`,
  ]);
  const rest = `${await readFile(FIRST.cert, "utf8")}-----BEGIN CERTIFICATE-----\nAAAA\n`;
  await writeFile(files.cert, rest);
  expect(await refusalOf(files)).toBe(`OUTLINE_TLS_CERT: ${files.cert} can't be used for TLS.`);
});

test("[C24, E47] a new certificate is for new connections, a bad one is logged once", async () => {
  const files = await ownFiles();
  const certificate = await readTlsCertificate(files);
  const server = createServer(certificate, (_request, response) => response.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const errors: unknown[] = [];
  const logger = { ...QUIET_LOGGER, error: (line: unknown) => void errors.push(line) };
  const reload = new TlsReload({ files, certificate, server, logger, now: () => 0 });
  const before = await connection(server.address());

  await reload.look();
  expect(await nameAt(server.address())).toBe("first.outline.test");
  await writeFile(files.cert, await readFile(SECOND.cert));
  for (let count = 0; count < 3; count += 1) await reload.look();
  expect([errors.length, await nameAt(server.address())]).toEqual([1, "first.outline.test"]);
  await replace(files, SECOND);
  await reload.look();
  expect([errors.length, await nameAt(server.address())]).toEqual([1, "second.outline.test"]);
  await rm(files.key);
  await reload.look();
  expect([errors.length, await nameAt(server.address())]).toEqual([2, "second.outline.test"]);

  before.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [answer] = (await once(before, "data")) as [Buffer];
  expect(answer.toString()).toContain("200 OK");
});

test("[C24] a certificate that has expired is logged once", async () => {
  const files = await ownFiles();
  const certificate = await readTlsCertificate(files);
  const server = createServer(certificate);
  const errors: unknown[] = [];
  const logger = { ...QUIET_LOGGER, error: (line: unknown) => void errors.push(line) };
  let now = certificate.endsAt;
  const reload = new TlsReload({ files, certificate, server, logger, now: () => now });
  await reload.look();
  expect(errors).toEqual([]);
  now += 1;
  for (let count = 0; count < 3; count += 1) await reload.look();
  expect(errors).toEqual([{ file: files.cert }]);
});

async function connection(address: AddressInfo | string | null): Promise<TLSSocket> {
  const { port } = address as AddressInfo;
  // Whose certificate it is, is what is asked.
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

async function nameAt(address: AddressInfo | string | null): Promise<string> {
  const socket = await connection(address);
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}
