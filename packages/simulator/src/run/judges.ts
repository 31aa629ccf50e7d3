/** Who judges a run while it goes on, and when it is over. */
import type { RunWorld } from "./world.ts";

export interface Judges {
  /** Everything that could go on has gone on; `touched` of the witness says what to look at. */
  afterAct(world: RunWorld): void;
  /** Everything has come together, and was read. */
  atEnd(world: RunWorld): Promise<void>;
}
