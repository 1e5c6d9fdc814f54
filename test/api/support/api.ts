import { httpAnswer } from "../../support/http-answer.ts";
import {
  type ApiKey,
  type ApiNode,
  type ApiSettings,
  type ApiTarget,
  strictBody,
} from "./strict-answers.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface RequestOptions {
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent as it is; without a content type when it is bytes. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** One person's program: a key, plain `fetch`, and no knowledge of the service but its contract. */
export class Api {
  readonly #url: string;
  readonly key: string | undefined;

  constructor(url: string, key: string | undefined) {
    this.#url = url;
    this.key = key;
  }

  /** The same service, used with another key. */
  withKey(key: string | undefined): Api {
    return new Api(this.#url, key);
  }

  /** @param path what follows `/api/v1` */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const headers = new Headers(options.headers);
    if (this.key !== undefined && !headers.has("authorization")) {
      headers.set("authorization", `Bearer ${this.key}`);
    }
    let body: string | Uint8Array | undefined = options.raw;
    if (options.json !== undefined) {
      body = JSON.stringify(options.json);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
    }
    const url = `${this.#url}/api/v1${path}`;
    const { text, ...answered } = await httpAnswer(url, method, Object.fromEntries(headers), body);
    const answer = { method, ...answered };
    return { ...answer, body: strictBody({ ...answer, path: path.replace(/\?.*/s, ""), text }) };
  }

  /** A request that must succeed. */
  async done(method: string, path: string, json?: unknown): Promise<unknown> {
    const answer = await this.request(method, path, json === undefined ? {} : { json });
    if (answer.status !== 200) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  /** Status and code in one string, such as `404 not_found`; `200` for a success. */
  async outcome(method: string, path: string, json?: unknown): Promise<string> {
    return outcomeOf(await this.request(method, path, json === undefined ? {} : { json }));
  }

  async create(fields: Fields): Promise<string> {
    const { item_id } = (await this.done("POST", "/nodes", fields)) as { item_id: string };
    return item_id;
  }

  async update(reference: string, fields: Fields): Promise<void> {
    await this.done("POST", pathOf(reference), fields);
  }

  async move(reference: string, to: Fields): Promise<void> {
    await this.done("POST", `${pathOf(reference)}/move`, to);
  }

  async complete(reference: string): Promise<void> {
    await this.done("POST", `${pathOf(reference)}/complete`);
  }

  async uncomplete(reference: string): Promise<void> {
    await this.done("POST", `${pathOf(reference)}/uncomplete`);
  }

  async remove(reference: string): Promise<void> {
    await this.done("DELETE", pathOf(reference));
  }

  async node(reference: string): Promise<ApiNode> {
    const { node } = (await this.done("GET", pathOf(reference))) as { node: ApiNode };
    return node;
  }

  /** @param parent left out of the query when it is not given */
  async children(parent?: string): Promise<readonly ApiNode[]> {
    const { nodes } = (await this.done("GET", listPathOf(parent))) as { nodes: ApiNode[] };
    return nodes;
  }

  async export(): Promise<readonly ApiNode[]> {
    const { nodes } = (await this.done("GET", "/nodes-export")) as { nodes: ApiNode[] };
    return nodes;
  }

  async targets(): Promise<readonly ApiTarget[]> {
    const { targets } = (await this.done("GET", "/targets")) as { targets: ApiTarget[] };
    return targets;
  }

  async setShortcut(key: string, reference: string): Promise<void> {
    await this.done("POST", "/targets", { key, id: reference });
  }

  async settings(): Promise<ApiSettings> {
    return (await this.done("GET", "/settings")) as ApiSettings;
  }

  async configure(settings: Partial<ApiSettings>): Promise<void> {
    await this.done("POST", "/settings", settings);
  }

  async keys(): Promise<readonly ApiKey[]> {
    const { keys } = (await this.done("GET", "/keys")) as { keys: ApiKey[] };
    return keys;
  }

  /** The same service through a new key of the same user. */
  async keyed(fields: Fields): Promise<Api & { readonly keyId: string }> {
    const { id, key } = (await this.done("POST", "/keys", fields)) as { id: string; key: string };
    return Object.assign(this.withKey(key), { keyId: id });
  }

  /** Everything that a refused request must leave as it was. */
  async state(): Promise<unknown> {
    return {
      nodes: await this.export(),
      targets: await this.targets(),
      settings: await this.settings(),
      keys: (await this.keys()).map(({ id, name, scope }) => ({ id, name, scope })),
    };
  }
}

export function outcomeOf(answer: Answer): string {
  if (answer.status === 200) return "200";
  return `${answer.status} ${(answer.body as { code: string }).code}`;
}

export function pathOf(reference: string): string {
  return `/nodes/${encodeURIComponent(reference)}`;
}

export function listPathOf(parent: string | undefined): string {
  return parent === undefined ? "/nodes" : `/nodes?parent_id=${encodeURIComponent(parent)}`;
}

/** The 12 digits that a node's URL ends in. */
export function shortIdOf(id: string): string {
  return id.slice(-12);
}
