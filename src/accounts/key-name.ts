/** In characters. */
export const KEY_NAME_LENGTH = 200;

/** Why a text, without the spaces around it, can't be the name of an API key; undefined when it can. */
export function keyNameProblem(name: string): string | undefined {
  if (name === "" || name.length > KEY_NAME_LENGTH) {
    return `a key's name has 1 to ${KEY_NAME_LENGTH} characters`;
  }
  return /[\p{Cc}\p{Cs}]/u.test(name) ? "a key's name has no control character" : undefined;
}
