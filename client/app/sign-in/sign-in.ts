import { isRecord } from "../page/is-record.ts";
import { askServer } from "../page/ask-server.ts";

export type SignInAnswer =
  | { readonly kind: "signed_in" }
  | { readonly kind: "wrong_key" }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "unreachable" };

/** Trades an API key for a cookie that scripts can't read. The key is kept nowhere here. */
export async function signIn(ask: typeof fetch, key: string): Promise<SignInAnswer> {
  const answer = await askServer(ask, "POST", "/session", { key });
  switch (answer?.status) {
    case 200:
      return { kind: "signed_in" };
    case 400:
    case 401:
      return { kind: "wrong_key" };
    case 429: {
      const seconds = isRecord(answer.body) ? answer.body["retry_after"] : undefined;
      return { kind: "wait", seconds: typeof seconds === "number" ? seconds : 60 };
    }
    default:
      return { kind: "unreachable" };
  }
}
