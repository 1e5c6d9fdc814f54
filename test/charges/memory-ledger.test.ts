import { describe, expect, test } from "vitest";
import { type Charge, MemoryLedger } from "../../src/charges/memory-ledger.ts";
import { type Payer, payingNetwork, payingUser } from "../../src/charges/payer.ts";

const ANNA = payingUser("anna");
const BERT = payingUser("bert");

function newLedger(limits: { bytesPerPayer?: number; bytesInAll?: number } = {}) {
  const ledger = new MemoryLedger({ bytesPerPayer: 100, bytesInAll: 250, ...limits });
  const givenUp: string[] = [];
  const hold = (payer: Payer, name: string, bytes: number): Charge => {
    const charge = ledger.open(payer, () => givenUp.push(name));
    charge.set(bytes);
    return charge;
  };
  return { ledger, givenUp, hold };
}

describe("[Q1] memory that is held for people outside", () => {
  test("[Q1] is counted by payer and in all, until it is let go", () => {
    const { ledger, hold } = newLedger();
    const first = hold(ANNA, "first", 60);
    hold(BERT, "second", 30);
    first.set(20);
    expect([ledger.bytesOf(ANNA), ledger.bytesOf(BERT), ledger.bytes]).toEqual([20, 30, 50]);
    first.end();
    first.end();
    first.set(40);
    expect([ledger.bytesOf(ANNA), ledger.bytes, ledger.givenUp]).toEqual([0, 30, 0]);
  });

  test("[Q1] a payer with too much gives up the largest charge, the oldest of equal ones", () => {
    const { ledger, givenUp, hold } = newLedger();
    hold(ANNA, "small", 10);
    hold(ANNA, "old", 40);
    hold(ANNA, "young", 40);
    hold(ANNA, "last", 20);
    expect(givenUp).toEqual(["old"]);
    hold(ANNA, "huge", 200);
    expect(givenUp).toEqual(["old", "huge"]);
    expect([ledger.bytesOf(ANNA), ledger.givenUp]).toEqual([70, 2]);
  });

  test("[Q1] where all have too much, the payer with the most gives up, not the one who came last", () => {
    const { givenUp, hold } = newLedger({ bytesInAll: 150 });
    hold(ANNA, "anna's", 90);
    hold(BERT, "bert's", 55);
    hold(payingNetwork("10.0.0.1"), "a stranger's", 10);
    expect(givenUp).toEqual(["anna's"]);
  });

  test("[Q1] a charge may be opened while another one is given up", () => {
    const ledger = new MemoryLedger({ bytesPerPayer: 100, bytesInAll: 250 });
    const big = ledger.open(ANNA, () => ledger.open(ANNA, () => undefined).set(5));
    big.set(150);
    expect(ledger.bytes).toBe(5);
  });

  test("[Q1] room is what can be held without anybody giving something up", () => {
    const { ledger, hold } = newLedger({ bytesInAll: 120 });
    hold(ANNA, "a", 60);
    expect(ledger.hasRoomFor(ANNA, 40)).toBe(true);
    expect(ledger.hasRoomFor(ANNA, 41)).toBe(false);
    expect(ledger.hasRoomFor(BERT, 61)).toBe(false);
  });
});
