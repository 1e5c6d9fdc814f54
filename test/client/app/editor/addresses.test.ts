import { describe, expect, test } from "vitest";
import { addressesIn } from "../../../../client/app/editor/addresses.ts";
import { segmentsOf } from "../../../../client/app/editor/segments.ts";

const hrefsIn = (text: string) => addressesIn(text).map(({ href }) => href);

describe("[W103] addresses in a text", () => {
  test.each([
    ["see https://example.com ok", ["https://example.com"]],
    ["https://a.b/c?d=e&f#g.", ["https://a.b/c?d=e&f#g"]],
    ["(https://a.b/c)", ["https://a.b/c"]],
    ["https://a.b/Rust_(language), and HTTP://C.D!", ["https://a.b/Rust_(language)", "HTTP://C.D"]],
    ["„https://a.b/ü“ [http://x.y/[1]]", ["https://a.b/ü", "http://x.y/[1]"]],
    ["https://a.b/c…", ["https://a.b/c"]],
    ["xhttps://a.b javascript://a.b ftp://a.b https:// http://. http://?", []],
    ["nothing: here // and there", []],
  ])("%s", (text, hrefs) => {
    expect(hrefsIn(text)).toEqual(hrefs);
    for (const { href, from, to } of addressesIn(text)) expect(text.slice(from, to)).toBe(href);
  });

  test("a long text takes time in proportion to its length", () => {
    const nested = `https://a.b/${"(".repeat(50_000)}${")]".repeat(50_000)}`;
    expect(hrefsIn(nested).length).toBeLessThan(2);
  });

  test("are shown as links, beside tags, but not in links, code and dates", () => {
    const text = "#a https://x.y/#b?c #d";
    expect(segmentsOf([{ insert: text }])).toEqual([
      { text: "#a", formats: undefined, tag: "#a" },
      { text: " ", formats: undefined, tag: undefined },
      { text: "https://x.y/#b?c", formats: undefined, tag: undefined, href: "https://x.y/#b?c" },
      { text: " ", formats: undefined, tag: undefined },
      { text: "#d", formats: undefined, tag: "#d" },
    ]);
    const code = { insert: "https://x.y", attributes: { code: "" } };
    expect(segmentsOf([code])[0]?.href).toBeUndefined();
    expect(segmentsOf([{ insert: "https://x.y" }], true)[0]?.href).toBeUndefined();
  });
});
