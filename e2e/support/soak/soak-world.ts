/** What every client of a soak shares. */
import type { Client } from "@minikafka/client";
import type { Dice } from "../dice.ts";
import type { History } from "./history.ts";
import type { Progress } from "./progress.ts";

export interface SoakWorld {
  /** Drawn from by all clients, as they come. */
  readonly below: Dice;
  /** Where the broker is, whichever daemon that is now. */
  readonly port: number;
  readonly bytesUntilCut: () => number;
  /** A client whose connection nobody cuts but the daemon's death. */
  readonly office: Client;
  readonly history: History;
  readonly progress: Progress;
}
