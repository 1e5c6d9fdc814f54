/** What helps a browser with two sessions, which scripts can't: neither can be seen by them. */
export const AMBIGUOUS_SENTENCE =
  "Another program on this host has set a cookie of the same name, and the server can't tell which one is yours. Remove the cookies of this address in the browser's settings, and sign in again.";
