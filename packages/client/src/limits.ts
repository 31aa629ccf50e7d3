/** Every bound of the SDK with its default, units last. Kafka's name and default stand beside a number that has one. */
import { HEADERS_PER_RECORD_MAX, RECORDS_PER_BATCH_MAX } from "@minikafka/record";

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND_MS = 1_000;

export const LIMITS = {
  /** What a broker keeps in hand for one connection (WIRE); more would only wait in its socket. */
  inFlightRequestsMax: 64,
  /** Batches of one partition: a broker remembers so many of an idempotent producer. Kafka: the same. */
  inFlightIdempotentMax: 5,
  /** A request line: the broker's own default of max_frame_bytes. */
  frameBytesMax: 4 * MIB,
  /** An answer line: 16 MiB of batches, the most that a fetch may ask for, as Base64, with room for one larger batch. */
  answerBytesMax: 32 * MIB,

  /** What a timer can hold, 24 days and some hours: Node takes a longer time for none at all. */
  timeoutMsMax: 2 ** 31 - 1,
  connectTimeoutMs: 10 * SECOND_MS,
  /** Kafka: request.timeout.ms, 30 s. The time that a broker was asked to wait comes on top. */
  requestTimeoutMs: 30 * SECOND_MS,
  /** Kafka: reconnect.backoff.ms and reconnect.backoff.max.ms. */
  reconnectBackoffMs: 50,
  reconnectBackoffMsMax: SECOND_MS,
  /** Kafka: retry.backoff.ms and retry.backoff.max.ms. */
  retryBackoffMs: 100,
  retryBackoffMsMax: SECOND_MS,
  /** How long a close lets the records in hand be acknowledged. */
  closeTimeoutMs: 5 * SECOND_MS,
  /** Memory that a connection keeps for the next answer: a fetch of the default size, as Base64, fits. */
  keptAnswerBytesMax: 2 * MIB,
  /** Memory that a connection keeps for the next request with a batch: one of a mebibyte, as Base64, fits. */
  keptLineBytesMax: 2 * MIB,
  /** What one read of a socket takes at most. */
  readBytes: 256 * KIB,
  /** A socket that is silent for so long is probed by the system. */
  keepAliveMs: 30 * SECOND_MS,
  /** Kafka: metadata.max.age.ms, 5 minutes. */
  metadataAgeMsMax: 300 * SECOND_MS,

  /** Kafka: batch.size. A batch is closed when it has so many bytes; 1 sends each record by itself. */
  batchBytes: 16 * KIB,
  /** A batch of the broker's default (message.max.bytes); a record that does not fit one alone is refused here. */
  batchBytesMax: 2 * MIB,
  /** The broker takes no more in one batch. */
  recordsPerBatchMax: RECORDS_PER_BATCH_MAX,
  headersPerRecordMax: HEADERS_PER_RECORD_MAX,
  /** Kafka: buffer.memory, 32 MiB. With a manual clock 1 MiB, so that an experiment can fill it. */
  bufferBytesMax: 32 * MIB,
  bufferBytesManualMax: MIB,
  /** Memory of delivered batches that a producer keeps for the next ones. */
  keptFrameBytesMax: 8 * MIB,
  /** What a buffered record costs beside its bytes: objects, promise, array slots. */
  recordOverheadBytes: 64,
  /** Of a stream that is written into; about what keeps every partition's next batch full. */
  unacknowledgedRecordsMax: 1_000,
  /** Kafka: delivery.timeout.ms, 2 minutes. */
  deliveryTimeoutMs: 120 * SECOND_MS,

  /** Kafka: max.poll.records, 500. */
  pollRecordsMax: 500,
  /** Kafka: fetch.max.wait.ms, 500. A longer poll asks several times. */
  fetchWaitMs: 500,
  /** The broker takes no longer wait. */
  fetchWaitMsMax: 600 * SECOND_MS,
  /** Kafka: fetch.max.bytes and max.partition.fetch.bytes, 50 MiB and 1 MiB. Here one bound serves both. */
  fetchBytes: MIB,
  fetchBytesMax: 16 * MIB,
  /** Kafka: heartbeat.interval.ms, and as there at most a third of the session. */
  heartbeatIntervalMs: 3 * SECOND_MS,
  heartbeatsPerSession: 3,
  /** A member that waits for partitions asks more often: it hears of them by its heartbeats alone. */
  heartbeatWhilePendingMs: 250,
  /** Kafka: auto.commit.interval.ms. */
  autoCommitIntervalMs: 5 * SECOND_MS,
  /** The broker takes no longer ones. Kafka: group.max.session.timeout.ms, 30 minutes; max.poll.interval.ms has no bound. */
  sessionTimeoutMsMax: 3_600 * SECOND_MS,
  rebalanceTimeoutMsMax: 86_400 * SECOND_MS,
  /** What a commit_offsets request takes; more go in several. */
  offsetsPerCommitMax: 10_000,
  /** What a fetch_many request takes. */
  partitionsPerFetchMax: 1_000,
} as const;
