/** The brokers that this process hosts, in the order of the configuration. What is done to all is done to each. */
import { assert } from "../assert.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { allSettled } from "./all-settled.ts";
import { Broker } from "./broker.ts";
import type { ResolvedConfig } from "./config.ts";
import type { NotedHighWatermark } from "./high-watermark-file.ts";

export class Brokers {
  readonly #byId: ReadonlyMap<number, Broker>;

  /** Opens each broker's folder. Throws DiskError. */
  constructor(config: ResolvedConfig, env: Env) {
    this.#byId = new Map(config.brokerIds.map((brokerId) => [brokerId, new Broker(brokerId, config, env)]));
  }

  get ids(): readonly number[] {
    return [...this.#byId.keys()];
  }

  all(): Broker[] {
    return [...this.#byId.values()];
  }

  get(brokerId: number): Broker {
    const broker = this.#byId.get(brokerId);
    assert(broker !== undefined, `broker ${brokerId} is not one of ${this.ids.join(", ")}`);
    return broker;
  }

  /** The one that a request names. Throws INVALID_REQUEST. */
  require(brokerId: number): Broker {
    const broker = this.#byId.get(brokerId);
    if (broker !== undefined) return broker;
    const message = `there is no broker ${brokerId}; expected one of ${this.ids.join(", ")}`;
    throw new BrokerError("INVALID_REQUEST", message, { broker_id: brokerId });
  }

  failAll(problem: string): void {
    for (const broker of this.all()) broker.fail(problem);
  }

  /** Flushes every log of every broker. Rejects with the first problem, after all were tried. */
  async flush(): Promise<void> {
    await allSettled(this.all().map((broker) => broker.flush()));
  }

  /** Flushes and closes every log of every broker, and notes what each is to. Rejects with the first problem, after all were tried. */
  async close(highWatermarksOf: (brokerId: number) => readonly NotedHighWatermark[]): Promise<void> {
    await allSettled(this.all().map((broker) => broker.close(() => highWatermarksOf(broker.brokerId))));
  }

  /** Closes every file and writes nothing, as if the process had died. */
  abandon(): void {
    for (const broker of this.all()) broker.abandon();
  }
}
