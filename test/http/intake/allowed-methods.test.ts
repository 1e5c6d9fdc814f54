import { expect, test } from "vitest";
import { AllowedMethodsTable } from "../../../src/http/intake/allowed-methods.ts";

function tableOf(...routes: readonly (readonly [path: string, method: string])[]) {
  const table = new AllowedMethodsTable();
  for (const [path, method] of routes) table.add(path, method, path === "/open");
  return table;
}

test("[E8] a path has the methods of all its routes, by name, and OPTIONS", () => {
  const table = tableOf(["/a/:id", "POST"], ["/a/:id", "GET"], ["/a", "GET"], ["/open", "GET"]);
  expect(table.of("/a/%2F")).toEqual({ allow: "GET, OPTIONS, POST", isPublic: false });
  expect(table.of("/a/x/")).toEqual({ allow: "GET, OPTIONS, POST", isPublic: false });
  for (const url of ["/%61?x=/y", "/a#x", "http://host/a", "HTTPS://host:1/a?x"]) {
    expect([url, table.of(url)?.allow]).toEqual([url, "GET, OPTIONS"]);
  }
  expect(table.of("/a")).toEqual({ allow: "GET, OPTIONS", isPublic: false });
  expect(table.of("/open")).toEqual({ allow: "GET, OPTIONS", isPublic: true });
});

test.each(["", "/", "/b", "/a/x/y", "/a//", "//a", "/A", "*", "/%zz", "http://a", "ftp://host/a"])(
  "[E7] %j is no path",
  (path) => {
    expect(tableOf(["/a", "GET"], ["/a/:id", "GET"]).of(path)).toBe(undefined);
  },
);
