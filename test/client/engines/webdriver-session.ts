/** What a driver answers. */
interface Answer {
  readonly value: unknown;
}

interface Failure {
  readonly error: string;
  readonly message: string;
}

/** A session of WebDriver's first protocol: one HTTP request for each command. */
export class WebDriverSession {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** @param driver its address */
  static async open(driver: string): Promise<WebDriverSession> {
    const body = { capabilities: {} };
    const { sessionId } = await request<{ sessionId: string }>("POST", `${driver}/session`, body);
    return new WebDriverSession(`${driver}/session/${sessionId}`);
  }

  /** @param path a command of the protocol, below the session */
  post<T = unknown>(path: string, body: object = {}): Promise<T> {
    return request<T>("POST", `${this.#url}/${path}`, body);
  }

  get<T>(path: string): Promise<T> {
    return request<T>("GET", `${this.#url}/${path}`);
  }
}

async function request<T>(method: string, url: string, body?: object): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as Answer;
  if (response.ok) return value as T;
  const { error, message } = value as Failure;
  throw new Error(`${method} ${new URL(url).pathname}: ${error}: ${message}`);
}
