import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { test as httpTest } from "../../http/http-test.ts";
import { programOf, type Places, type Recorded, type Sent } from "../recorded.ts";
import { RecordingProxy } from "./recording-proxy.ts";

/** Somebody with an outline, and a home folder in which a program keeps what it knows of that. */
export interface Person {
  readonly key: string;
  readonly home: string;
  readonly at: Places;
  /** What programs have sent with the key. */
  readonly sent: () => readonly Sent[];
  /** Takes what was sent until now for something that does not belong to the test. */
  readonly forget: () => void;
  /** All was answered 200; of what is given, that was sent, is read so, and is left. */
  readonly hasDone: (recorded: Partial<Recorded>) => Promise<void>;
}

let people = 0;

/** Tests of programs that ask one service, for people with homes in one temporary folder. */
export const test = httpTest
  .extend("proxy", { scope: "file" }, async ({ service }, { onCleanup }) => {
    const proxy = await RecordingProxy.start(service.url);
    onCleanup(() => proxy.close());
    return proxy;
  })
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads there what a fixture needs.
  .extend("folder", { scope: "file" }, async ({}, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), "outline-programs-"));
    onCleanup(() => rm(folder, { recursive: true, force: true }));
    return folder;
  })
  .extend("person", async ({ service, proxy, folder }): Promise<Person> => {
    const name = `person-${(people += 1)}`;
    const home = join(folder, name);
    await mkdir(home);
    const { key, at, outlineOf } = await programOf(service, name, () => ({}));
    return {
      key,
      home,
      at,
      sent: () => proxy.of(key).map(({ sent }) => sent),
      forget: () => proxy.forget(key),
      async hasDone({ sends, reads, leaves }) {
        const exchanges = proxy.of(key);
        expect(exchanges.filter(({ status }) => status !== 200)).toEqual([]);
        if (sends !== undefined) expect(exchanges.map(({ sent }) => sent)).toEqual(sends(at));
        reads?.(
          exchanges.map(({ answer }) => answer),
          at,
        );
        if (leaves !== undefined) expect(await outlineOf()).toBe(leaves);
      },
    };
  });
