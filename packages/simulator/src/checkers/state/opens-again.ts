/** What a process leaves of a log, the next one can open. */
import type { Checker, Judge } from "../checker.ts";
import { lookWords, type PartitionLook } from "./partition-look.ts";

export class OpensAgain implements Checker<PartitionLook> {
  readonly name = "opens-again";
  readonly promise =
    "however a process has ended, the next one can open its logs, unless a disk has refused something or a folder was changed by hand";
  readonly #lives = new Map<string, number>();

  check(look: PartitionLook, judge: Judge): void {
    const { place, life, unopened, isHarmed } = look;
    const isNews = this.#lives.get(place) !== life;
    this.#lives.set(place, life);
    if (isHarmed) return;
    if (isNews) judge.asked();
    const [first] = unopened;
    if (first !== undefined)
      judge.violated(`broker ${first.brokerId} cannot open its log of ${place}: ${first.why}`, [
        lookWords(look),
      ]);
  }
}
