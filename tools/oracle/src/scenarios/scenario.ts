/** A part of the script: what is asked about one thing. */
import type { World } from "../world.ts";

export interface Scenario {
  readonly name: string;
  run(world: World): Promise<void>;
}
