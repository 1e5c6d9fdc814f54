import { describe, expect, test } from "vitest";
import { OPTION_DESCRIPTIONS, readConfig } from "../../src/config.ts";

describe("readConfig", () => {
  test("[C2] every option has a default that is itself valid, and a meaning", () => {
    const read = readConfig({}, {});
    expect(read.kind).toBe("config");
    for (const { variable, defaultText, meaning } of OPTION_DESCRIPTIONS) {
      expect(meaning, variable).not.toBe("");
      if (defaultText === "") continue;
      expect(readConfig({}, { [variable]: defaultText }), variable).toEqual(read);
    }
  });

  test("[C2] the ones that people know", () => {
    const known = OPTION_DESCRIPTIONS.filter(({ name }) =>
      ["port", "host", "data", "logLevel", "exportLimitMs", "apiKey"].includes(name),
    );
    expect(known.map(({ variable, flag, defaultText }) => [variable, flag, defaultText])).toEqual([
      ["OUTLINE_PORT", "port", "6683"],
      ["OUTLINE_HOST", "host", "127.0.0.1"],
      ["OUTLINE_DATA", "data", "./data"],
      ["OUTLINE_LOG_LEVEL", "log-level", "info"],
      ["OUTLINE_API_KEY", undefined, ""],
      ["OUTLINE_EXPORT_LIMIT_MS", "export-limit-ms", "60000"],
    ]);
  });

  test("[C2] a flag goes before the environment; an empty variable is none", () => {
    const read = readConfig({ port: "81" }, { OUTLINE_PORT: "80", OUTLINE_HOST: "" });
    expect(read).toMatchObject({ kind: "config", config: { port: 81, host: "127.0.0.1" } });
  });

  test("[C2] what is true or false may be 1 or 0", () => {
    for (const [value, webhookInsecure] of [
      ["true", true],
      ["1", true],
      ["false", false],
      ["0", false],
    ] as const) {
      const read = readConfig({}, { OUTLINE_WEBHOOK_INSECURE: value });
      expect(read).toMatchObject({ kind: "config", config: { webhookInsecure } });
    }
  });

  test("[C2] a variable of an earlier version is read where the new one is not set", () => {
    const perUserOf = (environment: Record<string, string>) => {
      const read = readConfig({}, environment);
      return read.kind === "config" ? read.config.maxConnectionsPerUser : read.sentences;
    };
    const former = "OUTLINE_MAX_CONNECTIONS_PER_KEY";
    expect(perUserOf({ [former]: "7" })).toBe(7);
    expect(perUserOf({ [former]: "7", OUTLINE_MAX_CONNECTIONS_PER_USER: "8" })).toBe(8);
    expect(perUserOf({ [former]: "x" })).toEqual([expect.stringContaining(former)]);
  });

  test.each([
    ["OUTLINE_PORT", "80a"],
    ["OUTLINE_PORT", "65536"],
    ["OUTLINE_PORT", "-1"],
    ["OUTLINE_PORT", "1e3"],
    ["OUTLINE_PORT", " 80"],
    ["OUTLINE_LOG_LEVEL", "loud"],
    ["OUTLINE_FIRST_KEY", "show"],
    ["OUTLINE_SECURE_COOKIES", "yes"],
    ["OUTLINE_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["OUTLINE_TRUSTED_PROXIES", "proxy.example"],
    ["OUTLINE_MEMORY_BYTES", "1"],
    ["OUTLINE_MAX_NODES", "0"],
    ["OUTLINE_MAX_OUTLINE_BYTES", "1"],
    // Node would take them for 1 ms.
    ["OUTLINE_STOP_TIMEOUT_MS", "2147483648"],
    ["OUTLINE_REQUEST_TIMEOUT_MS", "2147483648"],
  ])("[C3] %s=%s is refused in a sentence", (variable, value) => {
    const read = readConfig({}, { [variable]: value });
    expect(read.kind === "bad" && read.sentences).toEqual([
      expect.stringMatching(
        new RegExp(`^${variable} must be .+, not ${JSON.stringify(value)}\\.$`),
      ),
    ]);
  });

  test("[C3] a bad flag is named as it was given, and a secret is not repeated", () => {
    expect(readConfig({ port: "x" }, { OUTLINE_API_KEY: "my secret" })).toEqual({
      kind: "bad",
      sentences: [
        '--port must be a whole number, 0 to 65535, not "x".',
        expect.stringMatching(/^OUTLINE_API_KEY must be [^"]+\.$/),
      ],
    });
  });

  test("[C3] a key for the metrics is long enough, and is not repeated", () => {
    for (const key of ["short", "with a space in it all", "ü".repeat(20)]) {
      expect(readConfig({}, { OUTLINE_METRICS_KEY: key })).toEqual({
        kind: "bad",
        sentences: [expect.stringMatching(/^OUTLINE_METRICS_KEY must be [^"]+\.$/)],
      });
    }
    expect(readConfig({}, { OUTLINE_METRICS_KEY: "sixteen-letters-" }).kind).toBe("config");
  });

  test("[C2] proxies may be addresses and ranges of both kinds", () => {
    const trustedProxies = "10.0.0.0/8, 192.168.1.1,::1,fd00::/8";
    const read = readConfig({}, { OUTLINE_TRUSTED_PROXIES: trustedProxies });
    expect(read).toMatchObject({ kind: "config", config: { trustedProxies } });
  });
});
