import { readFile } from "node:fs/promises";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { RequestListener } from "node:http";
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ClientDocuments } from "../../src/http/oauth/client-documents.ts";
import { fetchJson } from "../../src/http/outgoing/fetch-json.ts";
import { isPublicAddress } from "../../src/http/outgoing/public-address.ts";
import { startService, type TestService } from "../support/service.ts";
import { CALLBACK, newPkce, OAuthPerson } from "./oauth-person.ts";

const FIXTURES = new URL("../fixtures/tls/", import.meta.url);

async function certificate(): Promise<Pick<ServerOptions, "cert" | "key">> {
  const [cert = "", key = ""] = await Promise.all(
    ["cert", "key"].map((part) => readFile(new URL(`first.${part}.pem`, FIXTURES), "utf8")),
  );
  return { cert, key };
}

/** A host of this machine that answers by TLS. @returns its origin, and whom to believe */
async function startHost(answer: RequestListener): Promise<{ url: string; ca: string }> {
  const own = await certificate();
  const server = createServer(own, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}`, ca: String(own.cert) };
}

const HERE = {
  resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 } as const]),
  mayAsk: () => true,
};

/** What a program of a person keeps, with the library's own way to a token. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: "Library",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
  };
  readonly clientMetadataUrl?: string;
  information: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  asked: URL | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state(): string {
    return "the state";
  }

  clientInformation() {
    return this.information;
  }

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }

  tokens() {
    return this.kept;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }

  invalidateCredentials(): void {
    this.kept = undefined;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState() {
    return this.#discovered;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

async function connected(service: TestService, provider: Provider): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    authProvider: provider,
  });
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

/** What the person's browser is sent to when they agree to what the library asks for. */
async function agreed(person: OAuthPerson, { asked }: Provider): Promise<URL> {
  if (asked === undefined) throw new Error("the library has not asked");
  expect(asked.pathname).toBe("/oauth/authorize");
  const { status, body } = await person.consent(asked.search.slice(1), { scope: "write" });
  expect([status, body]).toEqual([200, { to: expect.any(String) as unknown }]);
  return new URL((body as { to: string }).to);
}

async function finish(service: TestService, provider: Provider, to: URL): Promise<void> {
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    authProvider: provider,
  });
  await transport.finishAuth(to.searchParams);
  await transport.close();
}

describe("the protocol's library", () => {
  test("[J20, J21, J22, J23, J25] registers, asks, trades, lists tools, refreshes, and is revoked", async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const person = await OAuthPerson.of(service);
    const provider = new Provider();
    await expect(connected(service, provider)).rejects.toThrow(UnauthorizedError);
    await finish(service, provider, await agreed(person, provider));
    const client = await connected(service, provider);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("outline_edit");
    const { refresh_token: first } = provider.kept ?? {};
    // As when it has expired: the library asks for another one by itself.
    provider.kept = { ...provider.kept, access_token: "oa_expired", token_type: "Bearer" };
    const again = await connected(service, provider);
    expect((await again.listTools()).tools).toHaveLength(tools.length);
    expect(provider.kept?.refresh_token).not.toBe(first);
    const [, grant] = await person.keys();
    expect(grant?.name).toBe("Library (assistant.example)");
    await service.request("DELETE", `/api/v1/keys/${grant?.id}`);
    await expect(connected(service, provider)).rejects.toThrow(UnauthorizedError);
  });

  test("[J22] another server's answer is not traded", async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const person = await OAuthPerson.of(service);
    const provider = new Provider();
    await expect(connected(service, provider)).rejects.toThrow(UnauthorizedError);
    const to = await agreed(person, provider);
    expect(to.searchParams.get("iss")).toBe(service.url);
    to.searchParams.set("iss", "https://other.example");
    await expect(finish(service, provider, to)).rejects.toThrow();
    expect(await person.keys()).toHaveLength(1);
  });

  test("[J21] a client whose id is the address of its document is known by its host", async () => {
    let asked = 0;
    const { url, ca } = await startHost((request, response) => {
      asked += 1;
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          client_id: `${url}${request.url}`,
          client_name: "Documented",
          redirect_uris: [CALLBACK],
        }),
      );
    });
    const service = await startService({ outgoing: { ...HERE, ca } });
    onTestFinished(() => service.close());
    const person = await OAuthPerson.of(service);
    const provider = new Provider(`${url}/client.json`);
    await expect(connected(service, provider)).rejects.toThrow(UnauthorizedError);
    expect(asked).toBe(0);
    const { body } = await person.page("request", { query: provider.asked?.search.slice(1) });
    expect(body).toMatchObject({ client: { name: "Documented", host: new URL(url).host } });
    await finish(service, provider, await agreed(person, provider));
    expect(asked).toBe(1);
    expect((await (await connected(service, provider)).listTools()).tools).not.toEqual([]);
    const query = person.query(newPkce(), {
      client_id: `${url}/client.json`,
      redirect_uri: "https://evil.example/",
    });
    expect((await person.page("request", { query })).status).toBe(400);
  });
});

describe("documents of clients", () => {
  const NOW = 1_800_000_000_000;

  async function documentsAt(answer: RequestListener) {
    const host = await startHost(answer);
    let now = NOW;
    const documents = new ClientDocuments({
      now: () => now,
      outgoing: { ...HERE, ca: host.ca },
    });
    return { ...host, documents, pass: (seconds: number) => (now += seconds * 1000) };
  }

  const document = (id: string, more: object = {}) =>
    JSON.stringify({ client_id: id, client_name: "A", redirect_uris: [CALLBACK], ...more });

  test("[J21] one is believed for as long as it says, and not much longer or shorter", async () => {
    let asked = 0;
    let age = "max-age=600";
    const { url, documents, pass } = await documentsAt((request, response) => {
      asked += 1;
      response.setHeader("content-type", "application/json; charset=utf-8");
      response.setHeader("cache-control", age);
      response.end(document(`${url}${request.url}`));
    });
    const id = `${url}/c`;
    expect((await documents.client(id, "me"))?.name).toBe("A");
    pass(599);
    await documents.client(id, "me");
    expect(asked).toBe(1);
    pass(1);
    age = "no-store";
    await documents.client(id, "me");
    pass(59);
    await documents.client(id, "me");
    expect(asked).toBe(2);
    pass(1);
    age = "max-age=999999999";
    await documents.client(id, "me");
    pass(24 * 3600);
    await documents.client(id, "me");
    expect(asked).toBe(4);
  });

  test("[J21, Q121] twenty a minute are fetched for a user", async () => {
    let asked = 0;
    const { url, documents, pass } = await documentsAt((request, response) => {
      asked += 1;
      response.setHeader("content-type", "application/json");
      response.end(document(`${url}${request.url}`));
    });
    for (let count = 0; count < 25; count += 1) await documents.client(`${url}/${count}`, "me");
    expect(asked).toBe(20);
    expect(await documents.client(`${url}/other`, "you")).toBeDefined();
    pass(60);
    expect(await documents.client(`${url}/24`, "me")).toBeDefined();
  });

  test.for([
    ["another id", () => document("https://other.example/c")],
    ["no name", (id: string) => document(id, { client_name: undefined })],
    ["no address", (id: string) => document(id, { redirect_uris: [] })],
    ["a bad address", (id: string) => document(id, { redirect_uris: ["http://a.example/"] })],
    ["no JSON", () => "<html>"],
    ["too much", (id: string) => document(id, { more: "x".repeat(17_000) })],
  ] as const)("[J21] one with %s is none", async ([, body]) => {
    const { url, documents } = await documentsAt((request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(body(`${url}${request.url}`));
    });
    expect(await documents.client(`${url}/c`, "me")).toBeUndefined();
  });

  test("[J21] nobody is asked for an address that is not as it has to be", async () => {
    const listener = vi.fn<RequestListener>((_request, response) => void response.end());
    const { url, documents } = await documentsAt(listener);
    for (const id of [
      url,
      `${url}/`,
      `${url}/c#x`,
      `${url}/c?x`,
      url.replace("https", "http") + "/c",
      url.replace("//", "//user@") + "/c",
      `${url}/a/../c`,
      `${url}/${"x".repeat(1000)}`,
      "https://",
    ]) {
      expect([id, await documents.client(id, "me")]).toEqual([id, undefined]);
    }
    expect(listener).not.toHaveBeenCalled();
  });
});

describe("what strangers make the server ask", () => {
  test("[J21] only hosts all of whose addresses are public", async () => {
    const listener = vi.fn<RequestListener>((_request, response) => void response.end("{}"));
    const { url, ca } = await startHost(listener);
    const asked = (addresses: readonly string[]) =>
      fetchJson(new URL(`${url}/c`), {
        ca,
        resolve: () =>
          Promise.resolve(addresses.map((address) => ({ address, family: 4 }) as const)),
      });
    expect(await asked(["127.0.0.1"])).toBeUndefined();
    expect(await asked(["93.184.215.14", "127.0.0.1"])).toBeUndefined();
    expect(await asked([])).toBeUndefined();
    const literal = new URL(`${url}/c`.replace("localhost", "127.0.0.1"));
    expect(await fetchJson(literal, { ca })).toBeUndefined();
    expect(await fetchJson(new URL("https://[::ffff:127.0.0.1]/c"), { ca })).toBeUndefined();
    // Where it leads after all is looked at once more.
    const looks: string[] = [];
    const mayAsk = (address: string) => looks.push(address) === 1;
    expect(await fetchJson(new URL(`${url}/c`), { ...HERE, ca, mayAsk })).toBeUndefined();
    expect(looks).toEqual(["127.0.0.1", "127.0.0.1"]);
    expect(listener).not.toHaveBeenCalled();
  });

  test("[J21] no redirect is followed, and only JSON of status 200 is read", async () => {
    const { url, ca } = await startHost((request, response) => {
      const [status, type] = (request.url ?? "").slice(1).split(",");
      response.statusCode = Number(status);
      response.setHeader("content-type", type ?? "");
      response.setHeader("location", `${url}/200,application/json`);
      response.end('{"a":1}');
    });
    const at = (path: string) => fetchJson(new URL(`${url}/${path}`), { ...HERE, ca });
    expect((await at("200,application/json"))?.value).toEqual({ a: 1 });
    for (const path of ["302,application/json", "404,application/json", "200,text/html"]) {
      expect([path, await at(path)]).toEqual([path, undefined]);
    }
    // Nobody vouches for the host.
    expect(await fetchJson(new URL(`${url}/200,application/json`), HERE)).toBeUndefined();
    expect(await fetchJson(new URL("https://localhost:1/c"), HERE)).toBeUndefined();
  });

  test.for([
    ["10.1.2.3", false],
    ["169.254.169.254", false],
    ["::1", false],
    ["fd00::1", false],
    ["fe80::1", false],
    ["::ffff:192.168.0.1", false],
    ["64:ff9b::7f00:1", false],
    ["93.184.215.14", true],
    ["2606:2800:220:1::1", true],
  ] as const)("[J21] %s is public: %s", ([address, isPublic]) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });
});
