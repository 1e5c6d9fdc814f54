/** What a request answers. Its transaction aborts when it fails, unless somebody catches that. */
export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new DOMException()));
  });
}

/**
 * Runs a task in a transaction that was just begun, and resolves with its answer when that is on the
 * disk. The task may wait for the requests of the transaction, and for nothing else. When it throws,
 * nothing is changed.
 *
 * @throws what the task throws, or the DOMException for which the transaction was aborted
 */
export async function runTransaction<T>(
  transaction: IDBTransaction,
  task: (transaction: IDBTransaction) => Promise<T>,
): Promise<T> {
  const ended = new Promise<void>((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () =>
      reject(transaction.error ?? new DOMException("aborted", "AbortError")),
    );
  });
  // Whoever waits hears of it below.
  ended.catch(() => undefined);
  try {
    const answer = await task(transaction);
    await ended;
    return answer;
  } catch (error) {
    abort(transaction);
    await ended.catch(() => undefined);
    throw transaction.error ?? error;
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already.
  }
}
