import { expect, test } from "vitest";
import { copyTo } from "./copy-topic.ts";

const PROGRESS = { end: () => undefined };

test("a partition that fails stops those beside it, and those that wait do not begin", async () => {
  const begun: number[] = [];
  const failing = {
    partition: 0,
    copyTo: async () => {
      begun.push(0);
      throw new Error("the disk is full");
    },
  };
  const stoppable = [1, 2, 3, 4].map((partition) => ({
    partition,
    // Goes on until it is told to stop.
    copyTo: (_end: number, stopped: AbortSignal) =>
      new Promise<void>((resolve) => {
        begun.push(partition);
        stopped.addEventListener("abort", () => resolve());
      }),
  }));
  const all = copyTo(
    { partitions: [...stoppable.slice(0, 3), failing, ...stoppable.slice(3)], progress: PROGRESS },
    [],
  );
  await expect(all).rejects.toThrow("the disk is full");
  expect(begun).toEqual([1, 2, 3, 0]);
});
