/** The world is not as the service needs it. The message is a sentence that says what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}
