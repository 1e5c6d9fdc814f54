/** A promise that is settled from outside. When it is rejected, nobody has to be waiting. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  #resolve: ((value: T) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => undefined);
  }

  resolve(value: T): void {
    this.#resolve?.(value);
  }

  reject(error: Error): void {
    this.#reject?.(error);
  }
}
