/**
 * The source of a function without parameters that runs another one in a page and answers, as a
 * promise, the JSON of `{ value }` or of `{ failure }`: so both protocols carry it as one string.
 */
export function pageCall<T, A>(run: (given: A) => T | Promise<T>, given: A): string {
  return `async () => {
    const __name = (named) => named;
    try {
      const value = await (${run.toString()})(${JSON.stringify(given) ?? "undefined"});
      return JSON.stringify({ value });
    } catch (error) {
      return JSON.stringify({ failure: String(error) });
    }
  }`;
}

/** What such a function has answered; throws what was thrown in the page. */
export function pageAnswer<T>(text: unknown): T {
  if (typeof text !== "string") throw new Error(`the page answered ${JSON.stringify(text)}`);
  const answer = JSON.parse(text) as { readonly value: T } | { readonly failure: string };
  if ("failure" in answer) throw new Error(`in the page: ${answer.failure}`);
  return answer.value;
}
