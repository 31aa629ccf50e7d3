/** The brokers that this process hosts, in the order of the configuration. What is done to all is done to each. */
import { assert } from "../assert.ts";
import type { Env } from "../env/env.ts";
import { allSettled } from "./all-settled.ts";
import { Broker } from "./broker.ts";
import type { ResolvedConfig } from "./config.ts";

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

  /** Throws BROKER_FAILED when one of them takes no writes: what they share, the metadata, cannot be changed then. */
  requireAllRunning(): void {
    for (const broker of this.all()) broker.requireRunning();
  }

  failAll(problem: string): void {
    for (const broker of this.all()) broker.fail(problem);
  }

  /** Flushes every log of every broker. Rejects with the first problem, after all were tried. */
  async flush(): Promise<void> {
    await allSettled(this.all().map((broker) => broker.flush()));
  }

  /** Flushes and closes every log of every broker. Rejects with the first problem, after all were tried. */
  async close(): Promise<void> {
    await allSettled(this.all().map((broker) => broker.close()));
  }

  /** Closes every file and writes nothing, as if the process had died. */
  abandon(): void {
    for (const broker of this.all()) broker.abandon();
  }
}
