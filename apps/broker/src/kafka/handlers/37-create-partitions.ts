/**
 * CreatePartitions: more partitions for topics that are there.
 *
 * Behaviour: when it is answered, the new partitions are durable and led; those that were there stay as they are. No more than there are,
 * or more than there may be, is INVALID_PARTITIONS. With validateOnly nothing is made. What is amiss with one topic stands with it; one that
 * stands there twice is INVALID_REQUEST. Any broker may be asked.
 * Not modelled: replicas that are assigned by hand (INVALID_REPLICA_ASSIGNMENT), the timeout.
 */
import { BrokerError, LIMITS, type TopicDescription } from "@minikafka/core";
import { KAFKA_ERRORS, type RequestOf, type ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";
import { namedTwice } from "../repeats.ts";

type Request = RequestOf<"CreatePartitions">;
type Asked = Request["topics"][number];
type Result = ResponseOf<"CreatePartitions">["results"][number];

export const createPartitions: KafkaHandler<"CreatePartitions"> = {
  takesEffectLate: true,
  async serve(request, context, call) {
    const twice = namedTwice(request.topics.map(({ name }) => name));
    const once = request.topics.filter(({ name }) => !twice.has(name));
    const results = await Promise.all(once.map((asked) => resultOf(asked, request, context, call)));
    return { results: [...results, ...Array.from(twice, refusedTwice)] };
  },
  refusal: ({ topics }, errorCode) => ({ results: topics.map(({ name }) => ({ name, errorCode })) }),
};

function refusedTwice(name: string): Result {
  return {
    name,
    errorCode: KAFKA_ERRORS.INVALID_REQUEST,
    errorMessage: "the topic is named more than once",
  };
}

async function resultOf(
  { name, count, assignments }: Asked,
  { validateOnly }: Request,
  { cluster }: BrokerContext,
  call: KafkaCall,
): Promise<Result> {
  try {
    // One that is not there may be in the making, which the growth waits for.
    if (validateOnly || cluster.hasTopic(name)) requireCount(cluster.describeTopic(name), count);
    if (assignments !== null)
      throw new KafkaRefusal(
        "INVALID_REPLICA_ASSIGNMENT",
        "where new partitions go cannot be said here; leave the assignment out",
      );
    if (!validateOnly) await cluster.growTopic(name, count);
    return { name, errorCode: NONE };
  } catch (problem) {
    return { name, ...partProblem(asKafkaHasIt(problem), call) };
  }
}

function requireCount({ partitions }: TopicDescription, count: number): void {
  if (count > partitions && count <= LIMITS.partitionsPerTopicMax) return;
  throw new KafkaRefusal(
    "INVALID_PARTITIONS",
    `there are ${partitions} partitions; expected more than that, up to ${LIMITS.partitionsPerTopicMax}, not ${count}`,
  );
}

/** A growth's only wrong setting is the count, also when another growth came first. */
function asKafkaHasIt(problem: unknown): unknown {
  if (!(problem instanceof BrokerError) || problem.code !== "INVALID_CONFIG") return problem;
  return new KafkaRefusal("INVALID_PARTITIONS", problem.message);
}
