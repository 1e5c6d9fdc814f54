import { createHmac, type Hmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";

/** The headers of a message, as the Standard Webhooks specification (1.0) has them, once all of it is there. */
export class SignedHeaders {
  readonly #id: string;
  readonly #timestamp: string;
  readonly #hmac: Hmac;

  /** @param now milliseconds since 1970 */
  constructor(secret: string, id: string, now: number) {
    this.#id = id;
    this.#timestamp = String(Math.floor(now / 1000));
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    this.#hmac = createHmac("sha256", key).update(`${id}.${this.#timestamp}.`);
  }

  /** Takes the next part of the body. */
  add(chunk: Uint8Array): void {
    this.#hmac.update(chunk);
  }

  /** To be called once. */
  finish(): Readonly<Record<string, string>> {
    return {
      "webhook-id": this.#id,
      "webhook-timestamp": this.#timestamp,
      "webhook-signature": `v1,${this.#hmac.digest("base64")}`,
    };
  }
}
