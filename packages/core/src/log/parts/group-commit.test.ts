import { expect, test } from "vitest";
import { GroupCommit } from "./group-commit.ts";
import { Turns } from "./turns.ts";

interface Round {
  readonly waiters: number;
  readonly end: () => void;
  readonly fail: (problem: Error) => void;
}

function groupOfRounds(): { group: GroupCommit; rounds: Round[]; begun: (count: number) => Promise<void> } {
  const rounds: Round[] = [];
  const group = new GroupCommit(
    new Turns(),
    (waiters) =>
      new Promise((resolve, reject) => {
        rounds.push({ waiters, end: resolve, fail: reject });
      }),
  );
  const begun = async (count: number) => {
    for (let turn = 0; turn < 100 && rounds.length < count; turn++) await Promise.resolve();
    expect(rounds).toHaveLength(count);
  };
  return { group, rounds, begun };
}

test("all that join in one turn of the event loop share a round", async () => {
  const { group, rounds, begun } = groupOfRounds();
  const joined = [group.join(), group.join(), group.join()];
  await begun(1);
  expect(rounds[0]?.waiters).toBe(3);
  rounds[0]?.end();
  await Promise.all(joined);
});

test("who joins while a round is under way waits for the next, and all of them for the same", async () => {
  const { group, rounds, begun } = groupOfRounds();
  const first = group.join();
  await begun(1);
  const settled: string[] = [];
  const late = [group.join(), group.join()].map((join) => join.then(() => settled.push("late")));
  rounds[0]?.end();
  await first;
  await begun(2);
  expect(settled).toEqual([]);
  expect(rounds[1]?.waiters).toBe(2);
  rounds[1]?.end();
  await Promise.all(late);
  expect(rounds).toHaveLength(2);
});

test("a round that fails tells its own waiters alone", async () => {
  const { group, rounds, begun } = groupOfRounds();
  const first = group.join();
  await begun(1);
  const second = group.join();
  const failed = expect(first).rejects.toThrow("no disk");
  rounds[0]?.fail(new Error("no disk"));
  await failed;
  await begun(2);
  rounds[1]?.end();
  await second;
});
