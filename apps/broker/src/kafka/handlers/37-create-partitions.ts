/**
 * CreatePartitions: more partitions for topics that are there.
 *
 * Behaviour: when it is answered, the new partitions are durable and led; those that were there stay as they are. No more than there are
 * is INVALID_PARTITIONS. With validateOnly nothing is made. What is amiss with one topic stands with it; one that stands there twice is
 * INVALID_REQUEST. Any broker may be asked.
 * Not modelled: replicas that are assigned by hand (INVALID_REPLICA_ASSIGNMENT), the timeout.
 */
import type { RequestOf, ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../json/handler.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";

type Request = RequestOf<"CreatePartitions">;
type Asked = Request["topics"][number];
type Result = ResponseOf<"CreatePartitions">["results"][number];

export const createPartitions: KafkaHandler<"CreatePartitions"> = {
  takesEffectLate: true,
  async serve(request, context, call) {
    const byName = new Map<string, Asked[]>();
    for (const topic of request.topics) byName.set(topic.name, [...(byName.get(topic.name) ?? []), topic]);
    return {
      results: await Promise.all(
        [...byName.values()].map((asked) => resultOf(asked, request, context, call)),
      ),
    };
  },
  refusal: ({ topics }, errorCode) => ({ results: topics.map(({ name }) => ({ name, errorCode })) }),
};

async function resultOf(
  [asked, ...others]: readonly Asked[],
  { validateOnly }: Request,
  { cluster }: BrokerContext,
  call: KafkaCall,
): Promise<Result> {
  const { name = "", count = 0, assignments = null } = asked ?? {};
  try {
    if (others.length > 0) throw new KafkaRefusal("INVALID_REQUEST", "the topic is named more than once");
    const { partitions } = cluster.describeTopic(name);
    if (count <= partitions)
      throw new KafkaRefusal(
        "INVALID_PARTITIONS",
        `there are ${partitions} partitions; expected more than that, not ${count}`,
      );
    if (assignments !== null)
      throw new KafkaRefusal(
        "INVALID_REPLICA_ASSIGNMENT",
        "where new partitions go cannot be said here; leave the assignment out",
      );
    if (!validateOnly) await cluster.growTopic(name, count);
    return { name, errorCode: NONE };
  } catch (problem) {
    return { name, ...partProblem(problem, call) };
  }
}
