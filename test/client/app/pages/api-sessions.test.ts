import { expect, test } from "vitest";
import {
  endOtherSessions,
  endSession,
  listSessions,
} from "../../../../client/app/settings/api-sessions.ts";
import { startService, type TestService } from "../../../support/service.ts";

function browserOf({ url }: TestService, cookie: string): typeof fetch {
  return (path, options) =>
    fetch(new URL(path instanceof Request ? path.url : path, url), {
      ...options,
      headers: { cookie, "sec-fetch-site": "same-origin" },
    });
}

test("[W99] the browsers are listed, ended one by one, and all but this one", async () => {
  const service = await startService();
  try {
    const mine = browserOf(service, await service.signIn(undefined, "Firefox/1 Linux"));
    const others = [await service.signIn(undefined, "curl/8"), await service.signIn()];
    await service.signIn();
    const listed = await listSessions(mine);
    if (listed.kind !== "done") throw new Error(listed.kind);
    expect(listed.value.map(({ browser, isCurrent }) => [browser, isCurrent])).toEqual([
      ["Firefox on Linux", true],
      ["curl 8", false],
      ["test", false],
      ["test", false],
    ]);
    expect(await endSession(mine, listed.value[1]?.id ?? "")).toMatchObject({ kind: "done" });
    expect(await listSessions(browserOf(service, others[0] ?? ""))).toMatchObject({
      kind: "refused",
    });
    expect(await endOtherSessions(mine)).toMatchObject({ kind: "done" });
    const left = await listSessions(mine);
    expect(left.kind === "done" && left.value).toEqual([listed.value[0]]);
    expect(await endSession(mine, "session_unknown")).toMatchObject({ kind: "refused" });
  } finally {
    await service.close();
  }
});

test.for([{}, { sessions: "none" }, { sessions: [null, 5, { id: 1 }, { id: "a" }] }])(
  "[W99] an answer of %j lists nothing",
  async (body) => {
    const ask: typeof fetch = async () => new Response(JSON.stringify(body));
    expect(await listSessions(ask)).toEqual({ kind: "done", value: [] });
  },
);

test("[W99] without a server nothing is listed", async () => {
  const ask: typeof fetch = () => Promise.reject(new TypeError("no network"));
  expect(await listSessions(ask)).toEqual({ kind: "unreachable" });
});
