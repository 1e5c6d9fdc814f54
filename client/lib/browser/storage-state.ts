/** What the browser says of the storage of this site, as far as it says anything. */
export interface StorageState {
  /** The browser deletes nothing by itself when space gets short. */
  readonly persisted: boolean;
  readonly usedBytes: number | undefined;
}

/** Where the browser says nothing: not persisted, size unknown. Never rejects. */
export async function storageState(): Promise<StorageState> {
  const [persisted, estimate] = await Promise.all([
    ask((storage) => storage.persisted()),
    ask((storage) => storage.estimate()),
  ]);
  return { persisted: persisted ?? false, usedBytes: estimate?.usage };
}

/** Asks the browser not to delete anything by itself; some ask the person. True when it agrees. */
export async function persistStorage(): Promise<boolean> {
  return (await ask((storage) => storage.persist())) ?? false;
}

async function ask<T>(question: (storage: StorageManager) => Promise<T>): Promise<T | undefined> {
  try {
    return await question(navigator.storage);
  } catch {
    // Missing on pages without TLS; refused in some private windows.
    return undefined;
  }
}
