import type { BrokerCluster, Clock, ManualClock } from "@minikafka/core";
import type { Deadlines } from "./deadlines.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Delays } from "./faults/delays.ts";
import type { FaultBook } from "./faults/fault-book.ts";
import type { KafkaSite } from "./kafka/kafka-site.ts";
import type { Parking } from "./parking.ts";
import type { GoingBack } from "./snapshots/going-back.ts";

/** The daemon, as the handlers of all protocols see it. */
export interface BrokerContext {
  readonly cluster: BrokerCluster;
  /** The clock that the kernel has; a ManualClock just in manual mode. */
  readonly clock: Clock | ManualClock;
  /** What chance is drawn from; `null` where nobody may know. */
  readonly seed: number | null;
  /** What happened, and how to go back; `null` in auto mode. */
  readonly past: GoingBack | null;
  /** Whether stepping operations are allowed; always so in manual mode. */
  readonly isLab: boolean;
  /** Deadlines of requests, on the broker's own time. */
  readonly deadlines: Deadlines;
  readonly parking: Parking;
  /** Awaited between the parts of long work. */
  readonly pause: () => Promise<void>;
  /** With a manual clock no other request is taken until `work` is over. Settles as it does. */
  readonly hold: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Where Kafka's clients find the brokers. */
  readonly kafka: KafkaSite;
  /** Where those find it who only look, over HTTP; `null`: nowhere. */
  readonly httpPort: number | null;
  /** What happens, for those who watch. */
  readonly events: EventFeed;
  readonly faults: FaultBook;
  /** The waits of faults. */
  readonly delays: Delays;
  /** The process dies in this instant; one that is not the broker's own lives on, and `at` is thrown through it as CrashSignal. */
  readonly crash: (at: string) => never;
}
