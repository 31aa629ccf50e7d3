import { ManualClock } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { Deadlines } from "../deadlines.ts";
import { OutputBudget } from "./output-budget.ts";

function openBudget() {
  const clock = new ManualClock();
  const deadlines = Deadlines.ofSteppedTime(clock);
  const budget = new OutputBudget({ bytesMax: 100, patienceMs: 10 }, deadlines);
  const gone: string[] = [];
  const owe = (name: string, bytes: number) => {
    const debtor = { unsentBytes: bytes, giveUp: () => gone.push(name) };
    budget.owe(debtor, bytes);
    return debtor;
  };
  return { clock, deadlines, budget, gone, owe };
}

test("when too much is left unread, those that have not read for longest are given up, and no more than needed", () => {
  const { clock, gone, owe } = openBudget();
  for (const name of ["a", "b", "c"]) {
    owe(name, 30);
    clock.advance(1);
  }
  clock.advance(20);
  owe("d", 50);
  expect(gone).toEqual(["a", "b"]);
});

test("who does not read is also given up when nobody writes any more", () => {
  const { clock, deadlines, gone, owe } = openBudget();
  for (const name of ["a", "b", "c"]) owe(name, 60);
  expect(gone).toEqual([]);
  clock.advance(10);
  deadlines.fireDue();
  expect(gone).toEqual(["a", "b"]);
  expect(deadlines.size).toBe(0);
});

test("a burst of clients that read loses nobody, however much is owed for a moment", () => {
  const { clock, budget, gone, owe } = openBudget();
  const debtors = ["a", "b", "c", "d"].map((name) => owe(name, 90));
  clock.advance(5);
  for (const debtor of debtors) budget.settle(debtor);
  clock.advance(20);
  owe("e", 90);
  expect(gone).toEqual([]);
});

test("what has left in the meantime is not held against anybody", () => {
  const { clock, budget, gone } = openBudget();
  const debtor = { unsentBytes: 5, giveUp: () => gone.push("reading along") };
  budget.owe(debtor, 60);
  clock.advance(50);
  budget.owe(debtor, 60);
  expect(gone).toEqual([]);
});

test("who reads slowly is kept, and who has read nothing meanwhile is given up in his place", () => {
  const { clock, budget, gone, owe } = openBudget();
  const slow = owe("slow", 60);
  owe("still", 60);
  for (let round = 0; round < 5; round += 1) {
    clock.advance(9);
    budget.progressed(slow);
  }
  owe("new", 10);
  expect(gone).toEqual(["still"]);
});
