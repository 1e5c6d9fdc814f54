import { Agent, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/**
 * What plain HTTP answers, read whole: as `fetch` would, which takes longer for a request than the
 * service does. A body that is a string is plain text when no header says what it is.
 */
export function httpAnswer(
  url: string,
  method: string,
  given: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
): Promise<HttpAnswer> {
  const headers = {
    ...(typeof body === "string" && { "content-type": "text/plain;charset=UTF-8" }),
    // Not every method has it by itself.
    ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    ...given,
  };
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        // What was refused before it had come is sent no further.
        if (!asking.writableFinished) asking.destroy();
        const answered = new Headers();
        for (const [name, values = []] of Object.entries(response.headersDistinct)) {
          for (const value of values) answered.append(name, value);
        }
        const { statusCode: status = 0 } = response;
        const text = unpacked(Buffer.concat(chunks), answered.get("content-encoding"));
        resolve({ status, headers: answered, text: text.toString() });
      });
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

function unpacked(bytes: Buffer, encoding: string | null): Buffer {
  // What answers HEAD says how it would be packed.
  if (bytes.length === 0) return bytes;
  if (encoding === "gzip") return gunzipSync(bytes);
  return encoding === "br" ? brotliDecompressSync(bytes) : bytes;
}
