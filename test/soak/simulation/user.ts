import type { OutlineId } from "../../../src/core/node-key.ts";
import { Claims } from "./claims.ts";
import type { Device } from "./device.ts";
import type { DurableOutline } from "./durable-outline.ts";
import { Poller } from "./poller.ts";
import type { Script } from "./script.ts";
import type { StockClient } from "./stock-client.ts";

/** A user of the simulated service: an outline, and all that works on it. */
export class User {
  readonly name: string;
  readonly outline: OutlineId;
  readonly durable: DurableOutline;
  readonly claims = new Claims();
  readonly devices: Device[] = [];
  readonly scripts: Script[] = [];
  readonly pages: StockClient[] = [];
  readonly poller: Poller;

  constructor(name: string, outline: OutlineId, durable: DurableOutline) {
    this.name = name;
    this.outline = outline;
    this.durable = durable;
    this.poller = new Poller(outline);
  }
}
