/**
 * Produce: batches to be appended, one for each partition.
 *
 * Behaviour: acks 0 (no answer; what is amiss ends the connection, as in Kafka), 1 and -1, which waits at most for the request's timeout
 * and is then REQUEST_TIMED_OUT, with the record's fate open; with a timeout of 0 or less no follower is waited for, but the disk is.
 * A batch of an idempotent producer that comes again, by its epoch, its sequences and its records, whatever their times, is answered with the offset
 * that the first one got; other records for sequences that are taken are OUT_OF_ORDER_SEQUENCE_NUMBER, where Kafka drops them unseen. With a transactional id the batches are a part of its open transaction; a batch of a transaction where no id is named refuses the
 * whole request (TRANSACTIONAL_ID_AUTHORIZATION_FAILED). What else is amiss stands with its partition, and the others are appended. The
 * records of a batch are kept as they came, unless the topic's compression.type wants another form; its header is translated.
 * Versions: 3 is the first that is served; 8 tells the message of an error, 10 the leader to turn to and where it is.
 * Not modelled: the errors of single records (recordErrors), since a batch is taken or refused as a whole.
 */
import { type AppendResult, BrokerError, type TopicPartition } from "@minikafka/core";
import { KAFKA_ERRORS, type RequestOf, type ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { withinTime } from "../../time-limit.ts";
import { frameOfBatch, isTransactional } from "../batches/frame-of-batch.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { endpointsOfLeaders, leaderOf, requireLed } from "../leadership.ts";
import { partProblem } from "../part-problem.ts";

type Request = RequestOf<"Produce">;
type PartitionAnswer = ResponseOf<"Produce">["responses"][number]["partitionResponses"][number];

const ACKS_ALL = -1;
const NO_OFFSET = -1;
/** Why who sends with acks 0 is cut off. */
const REFUSED_UNSEEN = "a batch was refused, and its client waits for no answer";

export const produce: KafkaHandler<"Produce"> = {
  isSilent: ({ acks }) => acks === 0,
  async serve(request, context, call) {
    if (![0, 1, ACKS_ALL].includes(request.acks))
      throw new KafkaRefusal("INVALID_REQUIRED_ACKS", `acks is ${request.acks}; expected 0, 1 or -1`);
    if (lacksTransactionalId(request)) {
      if (request.acks === 0) call.client.cut(REFUSED_UNSEEN);
      const message = "a batch of a transaction came without a transactional id";
      throw new KafkaRefusal("TRANSACTIONAL_ID_AUTHORIZATION_FAILED", message);
    }
    // Each is appended, in the order of the request, before anything is waited for.
    const answers = request.topicData.map(({ name, partitionData }) => ({
      name,
      partitions: partitionData.map(({ index, records }) =>
        produceTo({ topic: name, partition: index }, records, request, context, call),
      ),
    }));
    const responses = await Promise.all(
      answers.map(async ({ name, partitions }) => ({
        name,
        partitionResponses: await Promise.all(partitions),
      })),
    );
    const answered = responses.flatMap(({ partitionResponses }) => partitionResponses);
    if (request.acks !== 0) return { responses, nodeEndpoints: endpointsOfLeaders(answered, context.kafka) };
    const hasFailed = answered.some(({ errorCode }) => errorCode !== NONE);
    if (hasFailed) call.client.cut(REFUSED_UNSEEN);
    return null;
  },
  refusal: ({ topicData }, errorCode) => ({
    responses: topicData.map(({ name, partitionData }) => ({
      name,
      partitionResponses: partitionData.map(({ index }) => ({ index, errorCode, baseOffset: NO_OFFSET })),
    })),
  }),
};

/** Kafka looks at this before all else, and takes who names no id for one who may not write in a transaction. */
function lacksTransactionalId({ transactionalId, topicData }: Request): boolean {
  if (transactionalId !== null) return false;
  return topicData.some(({ partitionData }) =>
    partitionData.some(({ records }) => records !== null && isTransactional(records)),
  );
}

async function produceTo(
  place: TopicPartition,
  records: Buffer | null,
  request: Request,
  context: BrokerContext,
  call: KafkaCall,
): Promise<PartitionAnswer> {
  const { cluster } = context;
  const { partition: index } = place;
  try {
    requireLed(cluster, place, call);
    const frame = frameOfBatch(records, call.version);
    const { baseOffset, appendTimeMs } = await append(place, frame, request, context, call);
    return {
      index,
      errorCode: NONE,
      baseOffset,
      ...(appendTimeMs !== null && { logAppendTimeMs: appendTimeMs }),
      logStartOffset: logStartOffsetOf(place, context),
    };
  } catch (problem) {
    const answer = { index, baseOffset: NO_OFFSET, ...partProblem(problem, call) };
    const isElsewhere = answer.errorCode === KAFKA_ERRORS.NOT_LEADER_OR_FOLLOWER;
    return isElsewhere ? { ...answer, currentLeader: leaderOf(cluster, place) } : answer;
  }
}

/** The append happens before this returns, unless the transaction has to be given the partition first. */
function append(
  place: TopicPartition,
  frame: Buffer,
  { acks, timeoutMs, transactionalId }: Request,
  { cluster, deadlines }: BrokerContext,
  { client }: KafkaCall,
): Promise<AppendResult> {
  if (transactionalId === null && acks !== ACKS_ALL)
    return cluster.appendBatch(place, frame, { acks: acks === 0 ? 0 : 1, retriesKnownBy: "records" });
  const waiter = { request: "produce", ...place, transactionalId: transactionalId ?? undefined };
  const limitMs = Math.max(0, timeoutMs);
  if (transactionalId === null) {
    return withinTime(limitMs, deadlines, waiter, (giveUp) =>
      cluster.appendBatch(place, frame, { acks: "all", giveUp, retriesKnownBy: "records" }),
    );
  }
  if (acks !== ACKS_ALL)
    throw new BrokerError("INVALID_REQUEST", `acks is ${acks}; expected -1 in a transaction`);
  return client.transactionTurns.change(transactionalId, () =>
    withinTime(limitMs, deadlines, waiter, (giveUp) =>
      cluster.transactions.append(place, frame, {
        transactionalId,
        giveUp,
        retriesKnownBy: "records",
      }),
    ),
  );
}

/** It may have gone away since the append. */
function logStartOffsetOf(place: TopicPartition, { cluster }: BrokerContext): number {
  try {
    return cluster.replicaSet(place).leaderLog.logStartOffset;
  } catch (problem) {
    if (problem instanceof BrokerError) return NO_OFFSET;
    throw problem;
  }
}
