/**
 * Why a connection closes. 4400 to 4499 tell a client to stop (y-websocket's provider does), every
 * other code to come again later, with jitter.
 */
export const CLOSE_CODE = {
  /** The server stops or restarts. */
  restarting: 1012,
  /** The store fails, the client reads too slowly, or the state is to be fetched anew. */
  tryAgainLater: 1013,
  /** The stored outline can't be read. */
  internalError: 1011,
  /** A message or an update is not what it should be. */
  malformed: 4400,
  /** The key was revoked or has expired. */
  unauthorized: 4401,
  /** The key may not do what was tried. */
  forbidden: 4403,
  /** The outline is gone. */
  notFound: 4404,
  /** Nothing came that starts a session. */
  timeout: 4408,
  /** The update contradicts what is known: its ids were used for other content. */
  conflict: 4409,
  /** A message, an update or a presence is over its limit, or the outline is full. */
  tooLarge: 4413,
  /** Too many requests or too many refused updates. */
  tooMany: 4429,
} as const;

/** A code that the server closes with. */
export type CloseCode = (typeof CLOSE_CODE)[keyof typeof CLOSE_CODE];
