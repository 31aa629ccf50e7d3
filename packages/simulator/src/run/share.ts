/** A share of a campaign's seeds, and the thread that takes it. */
import { Worker } from "node:worker_threads";
import { type Found, neverEnded, newTally, type Tally, trySeed } from "./campaign.ts";

export interface Share {
  readonly first: number;
  readonly step: number;
  readonly count: number;
  readonly untilMs: number | null;
}

/** What came of one seed, or that a share is over. */
type Message = { readonly found: Found | null; readonly tally: Tally } | "over";

/** Every `step`th seed from `first` on, until enough were tried or the time is over. */
export async function takeShare(
  { first, step, count, untilMs }: Share,
  tell: (message: Message) => void,
): Promise<void> {
  for (let index = 0; index < count; index++) {
    if (untilMs !== null && Date.now() >= untilMs) break;
    const tally = newTally();
    const found = await trySeed(first + index * step, tally);
    tell({ found, tally });
  }
  tell("over");
}

/**
 * A share in a thread of its own, whose `file` calls takeShare. A run that waits for what nothing will ever do ends its thread in
 * silence: it is found here by what was not told, and another thread goes on behind it. Rejects with what the thread throws.
 */
export function inThread(
  file: URL,
  share: Share,
  heard: (found: Found | null, tally: Tally) => void,
): Promise<void> {
  let tried = 0;
  let isOver = false;
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: share });
    worker.on("message", (message: Message) => {
      if (message === "over") {
        isOver = true;
        return;
      }
      tried++;
      heard(message.found, message.tally);
    });
    worker.once("error", (error) => {
      isOver = true;
      reject(error);
    });
    worker.once("exit", () => {
      if (isOver) return resolve();
      const seed = share.first + tried * share.step;
      heard(neverEnded(seed), newTally());
      const left = { ...share, first: seed + share.step, count: share.count - tried - 1 };
      resolve(inThread(file, left, heard));
    });
  });
}
