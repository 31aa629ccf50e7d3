/**
 * Fetch: batches of many partitions from given offsets on; waits until there is enough, at most for so long.
 *
 * Behaviour: whole batches, the first of them also when it is longer than was asked for (KIP-74), be that 0 bytes or less; what does not fit
 * is left for the next fetch. What is amiss stands with its partition, and nobody waits then. With read_committed up to the last stable offset, beside the
 * transactions that were aborted among what is given, by their first offset; their records are there, and it is for the client to leave
 * them out. Batches are those that lie in the log, with Kafka's header in the place of ours.
 * Versions: 9 brought the leader epoch that the client knows (KIP-320), 10 whoever can unpack zstd (KIP-110; before it a topic whose
 * compression_type that is has UNSUPPORTED_COMPRESSION_TYPE in each partition), 12 the leader to turn to, 13 topic ids instead of names
 * (UNKNOWN_TOPIC_ID), 16 where that leader is reached.
 * An answer holds at most 64 MiB, however much is asked for (Kafka: fetch.max.bytes of the broker, 55 MiB).
 * Not modelled: fetch sessions (KIP-227). Who asks for one is answered in full, with session 0, which clients know for no; who goes on with
 * one that never was is told FETCH_SESSION_ID_NOT_FOUND. Replicas do not fetch by this protocol: their fields are passed over.
 */
import { BrokerError, type FetchResult, type Isolation, LIMITS, type TopicPartition } from "@minikafka/core";
import { KAFKA_ERRORS, type RequestOf, type ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { FetchBudget } from "../../fetch-budget.ts";
import { readWhenEnough } from "../../long-poll.ts";
import { batchesOfFrames } from "../batches/batches-of-frames.ts";
import { KafkaRefusal, NONE, numberOf } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { isolationOf } from "../isolation.ts";
import { endpointsOfLeaders, leaderOf, requireLed } from "../leadership.ts";

type Request = RequestOf<"Fetch">;
type Response = ResponseOf<"Fetch">;
type AskedTopic = Request["topics"][number];
type AskedPartition = AskedTopic["partitions"][number];
type FoundPartition = Response["responses"][number]["partitions"][number];

const NO_RECORDS = Buffer.alloc(0);
const NO_OFFSET = -1;
/** Who speaks this version or a later one can unpack zstd. */
const ZSTD_SINCE = 10;
/** From here on topics have ids. */
const TOPIC_IDS_SINCE = 13;

export const fetch: KafkaHandler<"Fetch"> = {
  serve(request, context, call) {
    requireNoSession(request);
    const isolation = isolationOf(request.isolationLevel);
    const named = request.topics.map((topic) => ({ ...topic, name: nameOf(topic, context, call) }));
    const places = named.flatMap(({ name, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => ({ topic: name ?? "", partition, offset: fetchOffset })),
    );
    // One batch can always be found, so that it is worth waiting for, whatever was asked for.
    const maxBytes = Math.min(Math.max(1, request.maxBytes), LIMITS.fetchBytesMax);
    const patience = { minBytes: request.minBytes, maxBytes, maxWaitMs: request.maxWaitMs, isolation };
    return readWhenEnough(patience, places, context, call.client, () => {
      const reading = new Reading(context, call, { bytesMax: maxBytes, isolation });
      const responses = named.map(({ topic, topicId, name, partitions }) => ({
        topic,
        topicId,
        partitions: partitions.map((asked) => reading.read(name, asked)),
      }));
      return {
        fields: {
          responses,
          nodeEndpoints: endpointsOfLeaders(
            responses.flatMap(({ partitions }) => partitions),
            context.kafka,
          ),
        },
        bytes: reading.hasError ? Number.POSITIVE_INFINITY : reading.bytesRead,
      };
    });
  },
  refusal: ({ topics }, errorCode, { version }) => ({
    errorCode,
    // Before version 7 there is no place for an error of all of them.
    responses: topics.map(({ topic, topicId, partitions }) => ({
      topic,
      topicId,
      partitions: partitions.map(({ partition }) => refused(partition, version < 7 ? errorCode : NONE)),
    })),
  }),
};

function requireNoSession({ sessionId, sessionEpoch }: Request): void {
  // A full fetch, with which a session ends or would begin.
  if (sessionEpoch <= 0) return;
  if (sessionId === 0)
    throw new KafkaRefusal("INVALID_FETCH_SESSION_EPOCH", `no session, and its epoch is ${sessionEpoch}`);
  throw new KafkaRefusal("FETCH_SESSION_ID_NOT_FOUND", `there is no fetch session ${sessionId}`);
}

/** `null` for an id that no topic has. */
function nameOf({ topic, topicId }: AskedTopic, { cluster }: BrokerContext, { version }: KafkaCall) {
  return version < TOPIC_IDS_SINCE ? topic : cluster.topicOfId(topicId);
}

/** One look at all partitions, within its budget. */
class Reading {
  readonly #context: BrokerContext;
  readonly #call: KafkaCall;
  readonly #isolation: Isolation;
  readonly #budget: FetchBudget;
  hasError = false;

  constructor(context: BrokerContext, call: KafkaCall, options: { bytesMax: number; isolation: Isolation }) {
    this.#context = context;
    this.#call = call;
    this.#isolation = options.isolation;
    this.#budget = new FetchBudget(context.cluster, options);
  }

  get bytesRead(): number {
    return this.#budget.bytesRead;
  }

  read(name: string | null, asked: AskedPartition): FoundPartition {
    const { partition, currentLeaderEpoch: leaderEpoch } = asked;
    const { cluster } = this.#context;
    if (name === null) return this.#refused(partition, KAFKA_ERRORS.UNKNOWN_TOPIC_ID);
    const place = { topic: name, partition };
    try {
      requireLed(cluster, place, { brokerId: this.#call.brokerId, leaderEpoch });
      this.#requireReadable(place);
      return { partitionIndex: partition, errorCode: NONE, ...this.#found(place, asked) };
    } catch (problem) {
      const answer = this.#refused(partition, numberOf(problem, this.#call));
      return isAboutLeader(problem) ? { ...answer, currentLeader: leaderOf(cluster, place) } : answer;
    }
  }

  /** As Kafka, by the topic's setting: what a producer packed so in a topic of any other is given to everybody (KafkaApis.maybeConvertFetchedData). */
  #requireReadable({ topic }: TopicPartition): void {
    const { version } = this.#call;
    if (version >= ZSTD_SINCE) return;
    const settings = this.#context.cluster.describeConfig(topic);
    if (settings.find(({ name }) => name === "compression_type")?.value !== "zstd") return;
    throw new KafkaRefusal(
      "UNSUPPORTED_COMPRESSION_TYPE",
      `the topic is packed with zstd, and this is version ${version} of Fetch; expected ${ZSTD_SINCE} or later`,
    );
  }

  /** What was read may hold no record, where compaction has taken them: what comes next goes in its place, if there is more. */
  #found(
    place: TopicPartition,
    { fetchOffset, partitionMaxBytes }: AskedPartition,
  ): Omit<FoundPartition, "partitionIndex" | "errorCode"> {
    let offset = fetchOffset;
    let empty: Buffer = NO_RECORDS;
    for (;;) {
      const bytesMin = this.#budget.bytesRead === 0 ? 1 : 0;
      const result = this.#budget.read(place, offset, Math.max(bytesMin, partitionMaxBytes));
      const { batches, hasRecords } = batchesOfFrames(result.batches);
      if (hasRecords) return { ...this.#marks(result), records: batches };
      if (result.nextOffset <= offset) return { ...this.#marks(result), records: empty };
      offset = result.nextOffset;
      empty = batches;
    }
  }

  #marks(result: FetchResult) {
    const { highWatermark, lastStableOffset, logStartOffset, abortedTransactions } = result;
    return {
      ...{ highWatermark, lastStableOffset, logStartOffset },
      abortedTransactions:
        this.#isolation === "read_uncommitted"
          ? null
          : abortedTransactions.map(({ producerId, firstOffset }) => ({ producerId, firstOffset })),
    };
  }

  #refused(partition: number, errorCode: number): FoundPartition {
    this.hasError = true;
    return refused(partition, errorCode);
  }
}

function refused(partitionIndex: number, errorCode: number): FoundPartition {
  return {
    partitionIndex,
    errorCode,
    highWatermark: NO_OFFSET,
    abortedTransactions: null,
    records: NO_RECORDS,
  };
}

function isAboutLeader(problem: unknown): boolean {
  if (problem instanceof BrokerError) return problem.code === "FENCED_LEADER_EPOCH";
  return problem instanceof KafkaRefusal && problem.errorCode === KAFKA_ERRORS.NOT_LEADER_OR_FOLLOWER;
}
