import { expect, test } from "vitest";
import { sessionCookieName } from "../../../src/accounts/session-cookie.ts";
import { credentialOf, isSameOrigin } from "../../../src/http/intake/credentials.ts";

const NAME = sessionCookieName("test", false);
const KEY = { kind: "key", secret: "abc" };
const SESSION = { kind: "session", secret: "abc" };

test.each([
  [{ authorization: "Bearer abc" }, KEY],
  [{ authorization: "bearer   abc  " }, KEY],
  [{ authorization: "Bearer" }, undefined],
  [{ authorization: "Bearer a b" }, undefined],
  [{ authorization: "Basic abc" }, undefined],
  [{ authorization: "" }, undefined],
  [{}, undefined],
  [{ cookie: `${NAME}=abc` }, SESSION],
  [{ cookie: `a=1; ${NAME}=abc; b=2` }, SESSION],
  [{ cookie: `a=1;${NAME}=abc` }, SESSION],
  [{ cookie: `x${NAME}=abc` }, undefined],
  [{ cookie: `${NAME}=` }, undefined],
  [{ cookie: NAME }, undefined],
  [{ cookie: `${NAME}; ${NAME}=; ${NAME}=abc` }, SESSION],
  [{ cookie: "outline_session=abc" }, undefined],
])("[A30] what %j shows", (headers, expected) => {
  expect(credentialOf(headers, NAME)).toEqual(expected);
});

test.each([
  `${NAME}=abc; ${NAME}=def`,
  `${NAME}=abc; ${NAME}=abc`,
  `${NAME}=abc; a=1;${NAME}=def; ${NAME}=ghi`,
])("[A41] of two sessions neither counts: %s", (cookie) => {
  expect(credentialOf({ cookie }, NAME)).toBe("ambiguous");
  expect(credentialOf({ cookie, authorization: "Bearer abc" }, NAME)).toEqual(KEY);
});

test("[A36, A42] the cookie is called after the service, and by TLS it is this host's alone", () => {
  expect(sessionCookieName("test", false)).toBe("outline_session_test");
  expect(sessionCookieName("test", true)).toBe("__Host-outline_session_test");
  const cookie = `${sessionCookieName("other", false)}=abc; ${sessionCookieName("test", true)}=abc`;
  expect(credentialOf({ cookie }, NAME)).toBe(undefined);
});

test("[A30] an Authorization header is all that counts, a useless one too", () => {
  const cookie = `${NAME}=abc`;
  expect(credentialOf({ authorization: "Bearer abc", cookie }, NAME)).toEqual(KEY);
  expect(credentialOf({ authorization: "Basic def", cookie }, NAME)).toBe(undefined);
});

test.each([
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, true],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "cross-site", origin: "https://outline.example:8443" }, false],
  [{ "sec-fetch-site": "none" }, false],
  [{ origin: "https://outline.example:8443" }, true],
  [{ origin: "http://outline.example:8443" }, true],
  [{ origin: "https://outline.example" }, false],
  [{ origin: "https://evil.example:8443" }, false],
  [{ origin: "null" }, false],
  [{ origin: "" }, false],
  [{}, false],
])("[A33] %j of a request to outline.example:8443", (headers, expected) => {
  expect(isSameOrigin(headers, "outline.example:8443")).toBe(expected);
});
