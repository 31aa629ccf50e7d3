/** The daemon as a library: for tests, experiments and whoever wants a broker in their own process. */

export type { BrokerOptions } from "./broker-options.ts";
export { ConfigProblem, type RawSettings, type Settings } from "./config.ts";
export { AddressUnavailable } from "./connections/port.ts";
export { type Broker, startBroker } from "./daemon.ts";
export { batchesOfFrames, type FetchedBatches } from "./kafka/batches/batches-of-frames.ts";
export { frameOfBatch } from "./kafka/batches/frame-of-batch.ts";
