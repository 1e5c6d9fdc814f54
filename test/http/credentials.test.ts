import { expect, test } from "vitest";
import { credentialsOf, isSameOrigin } from "../../src/http/credentials.ts";

test.each([
  [{ authorization: "Bearer abc" }, { key: "abc", from: "header" }],
  [{ authorization: "bearer   abc  " }, { key: "abc", from: "header" }],
  [{ authorization: "Bearer" }, undefined],
  [{ authorization: "Bearer a b" }, undefined],
  [{ authorization: "Basic abc" }, undefined],
  [{ authorization: "" }, undefined],
  [{}, undefined],
  [{ cookie: "outline_session=abc" }, { key: "abc", from: "cookie" }],
  [{ cookie: "a=1; outline_session=abc; b=2" }, { key: "abc", from: "cookie" }],
  [{ cookie: "a=1;outline_session=abc" }, { key: "abc", from: "cookie" }],
  [{ cookie: "xoutline_session=abc" }, undefined],
  [{ cookie: "outline_session=" }, undefined],
])("[A30] the key in %j", (headers, expected) => {
  expect(credentialsOf(headers)).toEqual(expected);
});

test("[A30] an Authorization header is all that counts, a useless one too", () => {
  const cookie = "outline_session=abc";
  expect(credentialsOf({ authorization: "Bearer def", cookie })?.key).toBe("def");
  expect(credentialsOf({ authorization: "Basic def", cookie })).toBe(undefined);
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
