import type { MemoryDisk as DeviceDisk } from "../../support/memory-replica/memory-disk.ts";
import type { MemoryDisk } from "../../support/memory-store/memory-disk.ts";
import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { copyOfDisk, type Device } from "./device.ts";
import type { User } from "./user.ts";
import type { World } from "./world.ts";

/** Copies of a device that live beside it at most. */
const MOST_CLONES = 2;
const DAY_MS = 24 * 60 * 60_000;

/** All that goes wrong in a world, now and then, each to be got over after a while. */
export class Faults {
  readonly #world: World;
  readonly #random: Random;
  readonly #mix: readonly (readonly [weight: number, fault: () => void])[];
  readonly #copies: { readonly user: User; readonly device: Device; readonly disk: DeviceDisk }[] =
    [];
  #backup: MemoryDisk | undefined;
  #clones = 0;
  #isOver = false;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.agenda.fork();
    this.#mix = [
      [12, () => this.#breakLink("hang")],
      [12, () => this.#breakLink("cut")],
      [10, () => this.#someLink().drop()],
      [4, () => this.#readSlowly()],
      [9, () => this.#crashDevice(true)],
      [4, () => this.#crashDevice(false)],
      [3, () => this.#closeDevice()],
      [4, () => this.#useTabs()],
      [2, () => this.#someDevice()?.hideAll()],
      [4, () => this.#failDeviceDisk()],
      [4, () => this.#copyDevice()],
      [1.5, () => this.#bringBackOldDisk()],
      [1.5, () => this.#cloneDevice()],
      [2, () => this.#leavePage()],
      [8, () => this.#crashServer(true)],
      [3, () => this.#crashServer(false)],
      [3, () => this.#restartServer()],
      [4, () => this.#failDisk()],
      [2, () => this.#slowDisk()],
      [2, () => this.#backUp()],
      [0.7, () => this.#restore()],
      [3, () => this.#revokeKey()],
      [2, () => this.#sleep()],
    ];
  }

  /** From now on things go wrong. */
  begin(): void {
    this.#world.agenda.after(100 + integerBelow(this.#random, 1500), () => {
      if (this.#isOver) return;
      this.#one();
      this.begin();
    });
  }

  /** Nothing more goes wrong, and what did is put right. */
  end(): void {
    this.#isOver = true;
    const { users, disk } = this.#world;
    disk.recover();
    this.#world.startServer();
    for (const { devices, pages, scripts } of users) {
      for (const { link } of [...pages, ...scripts]) {
        link.heal();
        link.slowMs = 0;
      }
      for (const device of devices) {
        device.heal();
        device.link.slowMs = 0;
        device.disk.recover();
        if (!device.isOn) device.open();
      }
    }
    this.#reloadPages();
  }

  /**
   * What a copy of a store wrote under ids whose content a restored server had lost, a page that has
   * that content can't be brought together with: it is loaded again.
   */
  #reloadPages(): void {
    const { users, counts } = this.#world;
    const copies = (counts["clones"] ?? 0) + (counts["old copies brought back"] ?? 0);
    if (counts["backups restored"] === undefined || copies === 0) return;
    for (const user of users) {
      for (const page of user.pages.splice(0)) {
        page.end(true);
        this.#world.addPage(user, page.key).connect();
      }
    }
  }

  #one(): void {
    let left = this.#random() * this.#mix.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, fault] of this.#mix) {
      left -= weight;
      if (left < 0) return fault();
    }
  }

  /** Later, unless all is put right before. */
  #later(mostMs: number, callback: () => void): void {
    this.#world.agenda.after(50 + integerBelow(this.#random, mostMs), () => {
      if (!this.#isOver) callback();
    });
  }

  #someUser(): User {
    return oneOf(this.#random, this.#world.users);
  }

  #someDevice(): Device | undefined {
    const device = oneOf(this.#random, this.#someUser().devices);
    return device.isOn ? device : undefined;
  }

  #someLink(): Device["link"] {
    const { devices, pages, scripts } = this.#someUser();
    return oneOf(this.#random, [...devices, ...devices, ...pages, ...scripts]).link;
  }

  #breakLink(how: "hang" | "cut"): void {
    const { devices, pages, scripts } = this.#someUser();
    const who = oneOf(this.#random, [...devices, ...devices, ...pages, ...scripts]);
    this.#world.count(`links ${how === "hang" ? "hung" : "cut"}`);
    who.link[how]();
    this.#later(how === "hang" ? 14_000 : 8_000, () => {
      if ("heal" in who) who.heal();
      else who.link.heal();
    });
  }

  #readSlowly(): void {
    const link = this.#someLink();
    link.slowMs = 200 + integerBelow(this.#random, 3000);
    this.#later(10_000, () => (link.slowMs = 0));
  }

  #crashDevice(isSystemAlive: boolean): void {
    const device = this.#someDevice();
    if (device === undefined) return;
    this.#world.count("device crashes");
    // Now and then a person has just turned to something else.
    if (this.#random() < 0.3) device.hideAll();
    if (isSystemAlive) device.crash(oneOf(this.#random, device.runs), true);
    else device.crashAll(false);
    this.#reopenLater(device);
  }

  #reopenLater(device: Device): void {
    this.#later(6_000, () => {
      if (!device.isOn) device.open();
    });
  }

  #closeDevice(): void {
    const device = this.#someDevice();
    if (device === undefined) return;
    void device.close(oneOf(this.#random, device.runs));
    this.#reopenLater(device);
  }

  #useTabs(): void {
    const device = this.#someDevice();
    if (device === undefined) return;
    const [first, second] = device.runs;
    if (second === undefined) {
      this.#world.count("second tabs");
      device.open();
    } else if (first !== undefined) void device.close(oneOf(this.#random, [first, second]));
  }

  #failDeviceDisk(): void {
    const device = this.#someDevice();
    if (device === undefined) return;
    const { disk } = device;
    this.#world.count("device disks failing");
    const goOn = this.#random() < 0.3 ? disk.hang() : () => disk.recover();
    if (this.#random() < 0.5) disk.fill();
    else disk.fail("failed", this.#random() < 0.5 ? 1 : Infinity);
    this.#world.agenda.after(50 + integerBelow(this.#random, 6_000), () => {
      goOn();
      disk.recover();
    });
  }

  #copyDevice(): void {
    const user = this.#someUser();
    const device = oneOf(this.#random, user.devices);
    const { disk } = device;
    copyOfDisk(disk).then(
      (copy) => this.#copies.push({ user, device, disk: copy }),
      // A disk that fails is not copied.
      () => undefined,
    );
  }

  #bringBackOldDisk(): void {
    const copy = this.#copies.pop();
    if (copy === undefined) return;
    this.#world.count("old copies brought back");
    copy.user.claims.copied(copy.device);
    copy.device.useDisk(copy.disk);
    this.#reopenLater(copy.device);
  }

  #cloneDevice(): void {
    const copy = this.#copies.pop();
    if (copy === undefined || this.#clones >= MOST_CLONES) return;
    this.#clones += 1;
    this.#world.count("clones");
    const { user, device, disk } = copy;
    user.claims.copied(device);
    const clone = this.#world.addDevice(user, `clone of ${device.name}`, device.key);
    user.claims.copied(clone);
    clone.useDisk(disk);
    clone.open();
  }

  /** A page is closed, with what it has not sent, and another one is opened. */
  #leavePage(): void {
    const user = this.#someUser();
    const page = user.pages.pop();
    if (page === undefined) return;
    page.end(this.#random() < 0.8);
    this.#world.addPage(user, page.key).connect();
  }

  #crashServer(isMachineAlive: boolean): void {
    this.#world.crashServer(isMachineAlive);
    this.#startLater();
  }

  #startLater(): void {
    this.#later(3_000, () => {
      const { server } = this.#world;
      if (server?.isRunning === true) return;
      this.#world.startServer();
      this.#world.checkDisk();
    });
  }

  #restartServer(): void {
    const { server } = this.#world;
    if (server?.isListening !== true) return;
    this.#world.count("restarts");
    server.stop().then(() => this.#startLater(), this.#world.onDefect);
  }

  #failDisk(): void {
    const { disk, count } = this.#world;
    count("disk failing");
    disk.fail();
    this.#later(4_000, () => disk.recover());
  }

  /** Commits take longer than the server waits for them, and arrive all the same. */
  #slowDisk(): void {
    const { disk, count } = this.#world;
    count("disk slow");
    disk.slowDown(1_000 + integerBelow(this.#random, 8_000));
    this.#later(3_000, () => disk.recover());
  }

  #backUp(): void {
    this.#backup = this.#world.disk.backUp();
  }

  /** A backup is put in the place of all that is there, while the server runs or does not. */
  #restore(): void {
    const backup = this.#backup;
    if (backup === undefined) return;
    const { disk, users, server, count } = this.#world;
    count("backups restored");
    disk.restore(backup);
    for (const user of users) {
      // What was acknowledged before and is still on its way would be no lie, and not true any more.
      const { devices, scripts, pages } = user;
      for (const { link } of [...devices, ...scripts, ...pages]) link.drop();
      user.claims.restored(
        devices.flatMap((device) =>
          device.runs.flatMap(({ replica }) =>
            replica === undefined ? [] : [[device, replica.outline.doc] as const],
          ),
        ),
      );
      if (user.claims.awaited > 0) count("outlines on devices at a restore");
    }
    if (server?.isRunning !== true) return;
    server.accounts.storeReplaced();
    server.documents.evictAll("a backup was restored");
  }

  #revokeKey(): void {
    const user = this.#someUser();
    const device = oneOf(this.#random, user.devices);
    const { server, count } = this.#world;
    if (server?.isListening !== true) return;
    const revoked = (async () => {
      const principal = await server.accounts.authenticate(device.key);
      if (principal !== undefined) await server.accounts.revokeKey(principal.user, principal.keyId);
      count("keys revoked");
    })();
    // When the store fails the key stays.
    revoked.catch(() => undefined);
    this.#later(5_000, () => void renewKey(this.#world, user, device));
  }

  /** Not between what a program reads and what it writes: after days nothing is known of what it read. */
  #sleep(): void {
    if (this.#world.users.some(({ scripts }) => scripts.some(({ isBusy }) => isBusy))) {
      this.#later(100, () => this.#sleep());
      return;
    }
    this.#world.count("days slept");
    this.#world.agenda.sleep((0.5 + 4 * this.#random()) * DAY_MS);
  }
}

/** Somebody signs in anew at a device. */
export async function renewKey(world: World, user: User, device: Device): Promise<void> {
  const made = await world.newKey(user);
  if (made === undefined) return;
  device.key = made.key;
  for (const { replica } of device.runs) replica?.connect();
}
