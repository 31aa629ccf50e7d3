import { describe, expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** A task that is over when it is told so, and a diary of who began. */
class Tasks {
  readonly turns = new Turns();
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  act(name: string): () => Promise<string> {
    return () => {
      this.begun.push(name);
      return new Promise((resolve) => this.#ends.set(name, () => resolve(name)));
    };
  }

  /** Asks for turns, of which nobody awaits the result. */
  ask(...turns: Promise<unknown>[]): void {
    for (const turn of turns) turn.catch(() => {});
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

describe("turns", () => {
  test("of one name are taken in the order of the calls: alone one after another", async () => {
    const tasks = new Tasks();
    const { turns } = tasks;
    const all = ["1", "2", "3"].map((name) => turns.alone("billing", tasks.act(name)));
    expect(tasks.begun).toEqual(["1"]);
    await tasks.end("1");
    expect(tasks.begun).toEqual(["1", "2"]);
    await tasks.end("2");
    await tasks.end("3");
    expect(await Promise.all(all)).toEqual(["1", "2", "3"]);
  });

  test("of different lanes are taken side by side, of one lane in order, and nobody slips in behind who waits to be alone", async () => {
    const tasks = new Tasks();
    const { turns } = tasks;
    tasks.ask(turns.beside("billing", "a", tasks.act("a1")));
    tasks.ask(turns.beside("billing", "a", tasks.act("a2")));
    tasks.ask(turns.beside("billing", "b", tasks.act("b1")));
    expect(tasks.begun).toEqual(["a1", "b1"]);
    tasks.ask(turns.alone("billing", tasks.act("end")));
    tasks.ask(turns.beside("billing", "c", tasks.act("c1")));
    await tasks.end("a1");
    expect(tasks.begun).toEqual(["a1", "b1", "a2"]);
    await tasks.end("b1");
    expect(tasks.begun).toEqual(["a1", "b1", "a2"]);
    await tasks.end("a2");
    expect(tasks.begun).toEqual(["a1", "b1", "a2", "end"]);
    await tasks.end("end");
    expect(tasks.begun).toEqual(["a1", "b1", "a2", "end", "c1"]);
  });

  test("of other names do not wait", () => {
    const tasks = new Tasks();
    tasks.ask(tasks.turns.alone("billing", tasks.act("1")));
    tasks.ask(tasks.turns.alone("mail", tasks.act("2")));
    expect(tasks.begun).toEqual(["1", "2"]);
  });

  test("that return no promise are over within the call", () => {
    const tasks = new Tasks();
    const { turns } = tasks;
    const seen: number[] = [];
    tasks.ask(turns.beside("billing", "a", () => seen.push(1)));
    tasks.ask(turns.beside("billing", "a", () => seen.push(2)));
    tasks.ask(turns.alone("billing", () => seen.push(3)));
    expect(seen).toEqual([1, 2, 3]);
  });

  test("that fail are over as well", async () => {
    const tasks = new Tasks();
    const { turns } = tasks;
    const now = turns.alone("billing", () => {
      throw new Error("now");
    });
    const later = turns.alone("billing", () => Promise.reject(new Error("later")));
    const last = turns.alone("billing", () => "done");
    await expect(now).rejects.toThrow("now");
    await expect(later).rejects.toThrow("later");
    expect(await last).toBe("done");
  });

  test("are not taken by who has given up, and the next one has theirs", async () => {
    const tasks = new Tasks();
    const { turns } = tasks;
    const time = new AbortController();
    tasks.ask(turns.alone("billing", tasks.act("1")));
    const given = turns.alone("billing", tasks.act("2"), { giveUp: time.signal });
    tasks.ask(turns.alone("billing", tasks.act("3")));
    time.abort();
    await expect(given).rejects.toMatchObject({ code: "REQUEST_TIMED_OUT" });
    await tasks.end("1");
    expect(tasks.begun).toEqual(["1", "3"]);
  });
});
