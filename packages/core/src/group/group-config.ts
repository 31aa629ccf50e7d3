/** The settings of consumer groups, resolved. */
import type { RebalanceDial } from "./rebalance.ts";

export interface GroupConfig {
  /**
   * A dial: "barrier" (default), a partition moves once its owner let go, left or was expired, as in Kafka (KIP-848);
   * "immediate", it moves at once, and its former owner finds out when it asks.
   */
  readonly rebalance: RebalanceDial;
  /** Of members that name none. Kafka: session.timeout.ms, 45 s. Default 10 s. */
  readonly groupSessionTimeoutMs: number;
  /** Of members that name none. Kafka: max.poll.interval.ms. Default 5 minutes. */
  readonly groupRebalanceTimeoutMs: number;
  /** Of classic groups, as the next ones. Kafka: group.min.session.timeout.ms. Default 6 s. */
  readonly groupMinSessionTimeoutMs: number;
  /** Kafka: group.max.session.timeout.ms. Default 30 minutes. */
  readonly groupMaxSessionTimeoutMs: number;
  /** Kafka: group.max.size, without a bound by default. Default and most: 1,000. */
  readonly groupMaxSize: number;
  /** How long the first rebalance of an empty group waits for more members. Kafka: group.initial.rebalance.delay.ms, 3 s. Default 0. */
  readonly groupInitialRebalanceDelayMs: number;
}
