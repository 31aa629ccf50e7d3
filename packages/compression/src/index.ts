/** Kafka's four codecs for the records of a batch, synchronous and bounded. */
export { compression } from "./compression.ts";
