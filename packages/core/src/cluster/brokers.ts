/** The brokers that this process hosts, in the order of the configuration. What is done to all is done to each. */
import { assert } from "../assert.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { allSettled } from "./all-settled.ts";
import { Broker } from "./broker.ts";
import type { ResolvedConfig } from "./config.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { NotedHighWatermark } from "./high-watermark-file.ts";
import type { BrokerEpochs } from "./metadata-file.ts";

export class Brokers {
  readonly #byId: ReadonlyMap<number, Broker>;

  /** Opens each broker's folder. `epochs`: those that the metadata knows. Throws DiskError. */
  constructor(config: ResolvedConfig, epochs: BrokerEpochs, reserve: DiskReserve, env: Env) {
    const open = (brokerId: number) =>
      new Broker(brokerId, { config, reserve, knownEpoch: epochs.get(brokerId) ?? null }, env);
    this.#byId = new Map(config.brokerIds.map((brokerId) => [brokerId, open(brokerId)]));
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
    const closings = this.all()
      .filter(({ isStopped }) => !isStopped)
      .map((broker) => ({ broker, closed: broker.closeLogs() }));
    // What is noted last may take the reserve, of which no log that is still being closed is to have a part.
    await Promise.allSettled(closings.map(({ closed }) => closed));
    const noted = closings.map(async ({ broker, closed }) => {
      await closed;
      broker.noteEnd(() => highWatermarksOf(broker.brokerId));
    });
    await allSettled(noted);
  }

  /** Closes every file and writes nothing, as if the process had died. */
  abandon(): void {
    for (const broker of this.all()) broker.abandon();
  }
}
