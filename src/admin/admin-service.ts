import { accountHandlers } from "./account-handlers.ts";
import type { AdminChannel, Outcome, RunOptions } from "./admin-channel.ts";
import type { AdminOperation, ItemOf, ParamsOf } from "./admin-operations.ts";
import type { AdminParts, Handler, Handlers } from "./operation-handlers.ts";
import { outlineHandlers } from "./outline-handlers.ts";

/**
 * The operations of the command, on the store that this process has open. A server offers them to
 * the command on its socket; without a server the command runs them itself.
 */
export class AdminService implements AdminChannel {
  readonly #handlers: Handlers;

  constructor(parts: AdminParts) {
    this.#handlers = {
      ...accountHandlers(parts),
      ...outlineHandlers(parts),
      ...parts.whole,
    };
  }

  run<O extends AdminOperation>(
    operation: O,
    params: ParamsOf<O>,
    options: RunOptions<ItemOf<O>> = {},
  ): Promise<Outcome> {
    const handler: Handler<O> = this.#handlers[operation];
    return handler(params, options);
  }

  /** Nothing of its own to close. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
