import { expect, test } from "vitest";
import { ALL, Turns } from "./turns.ts";

/** Acts that note when they begin, and end when they are told to. */
class Acts {
  readonly turns = new Turns();
  readonly begun: string[] = [];
  readonly #ends = new Map<string, { end: () => void; fail: (error: Error) => void }>();

  act(name: string): () => Promise<string> {
    return () => {
      this.begun.push(name);
      return new Promise((resolve, reject) => {
        this.#ends.set(name, { end: () => resolve(name), fail: reject });
      });
    };
  }

  change(whose: string | typeof ALL, name: string): Promise<string> {
    return this.turns.change(whose, this.act(name));
  }

  look(whose: string | typeof ALL, name: string): Promise<string> {
    return this.turns.look(whose, this.act(name));
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.end();
    await turn();
  }

  async fail(name: string): Promise<void> {
    this.#ends.get(name)?.fail(new Error(name));
    await turn();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("changes begin at once, however many of them wait", () => {
  const acts = new Acts();
  void acts.change("g", "one");
  void acts.change("g", "two");
  expect(acts.begun).toEqual(["one", "two"]);
});

test("a look waits for the changes before it, and what comes behind waits for the look; other entities don't", async () => {
  const acts = new Acts();
  void acts.change("g", "change");
  const look = acts.look("g", "look");
  void acts.change("g", "later");
  void acts.look("other", "elsewhere");
  await turn();
  expect(acts.begun).toEqual(["change", "elsewhere"]);
  await acts.end("change");
  expect(acts.begun).toEqual(["change", "elsewhere", "look"]);
  await acts.end("look");
  expect(acts.begun).toEqual(["change", "elsewhere", "look", "later"]);
  expect(await look).toBe("look");
});

test("a look at all waits for the changes of each, and a change of all is waited for by each", async () => {
  const acts = new Acts();
  void acts.change("a", "change a");
  void acts.change("b", "change b");
  void acts.look(ALL, "list");
  void acts.change("c", "change c");
  await acts.end("change a");
  expect(acts.begun).toEqual(["change a", "change b"]);
  await acts.end("change b");
  await acts.end("list");
  expect(acts.begun.slice(2)).toEqual(["list", "change c"]);
  await acts.end("change c");
  void acts.change(ALL, "step");
  void acts.look("a", "look a");
  await turn();
  expect(acts.begun.slice(4)).toEqual(["step"]);
  await acts.end("step");
  expect(acts.begun.slice(5)).toEqual(["look a"]);
});

test("a refused change holds nothing up, and is told to whom it was refused alone", async () => {
  const acts = new Acts();
  const refused = acts.change("g", "refused");
  const look = acts.look("g", "look");
  const told = expect(refused).rejects.toThrow("refused");
  await acts.fail("refused");
  await told;
  await acts.end("look");
  expect(await look).toBe("look");
});

test("a change among two kinds waits for a look at either, and is waited for by looks at both", async () => {
  const groups = new Acts();
  const transactions = new Acts();
  void groups.change("g", "commit");
  void groups.look("g", "look");
  const ended = Turns.change(
    [
      [transactions.turns, "t"],
      [groups.turns, ALL],
    ],
    transactions.act("end"),
  );
  void transactions.look("t", "describe");
  void groups.look("other", "look elsewhere");
  await turn();
  expect([groups.begun, transactions.begun]).toEqual([["commit"], []]);
  await groups.end("commit");
  await groups.end("look");
  expect([groups.begun, transactions.begun]).toEqual([["commit", "look"], ["end"]]);
  await transactions.end("end");
  expect(await ended).toBe("end");
  expect([groups.begun.slice(2), transactions.begun.slice(1)]).toEqual([["look elsewhere"], ["describe"]]);
});

test("what comes behind a change that waits does not begin before it, though it waits for nothing itself", async () => {
  const groups = new Acts();
  const transactions = new Acts();
  void groups.change("g", "commit");
  void groups.look("g", "look");
  void Turns.change(
    [
      [transactions.turns, "t"],
      [groups.turns, "g"],
    ],
    transactions.act("end"),
  );
  void transactions.change("t", "begin");
  void transactions.change("u", "elsewhere");
  await turn();
  expect(transactions.begun).toEqual(["elsewhere"]);
  await groups.end("commit");
  await groups.end("look");
  expect(transactions.begun).toEqual(["elsewhere", "end", "begin"]);
  // Nothing waits any more: the next one begins at once.
  void transactions.change("t", "at once");
  expect(transactions.begun.at(-1)).toBe("at once");
});
