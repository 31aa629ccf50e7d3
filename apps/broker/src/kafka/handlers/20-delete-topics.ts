/**
 * DeleteTopics: topics by name, and since version 6 by id.
 *
 * Behaviour: a topic that is answered without an error is gone, also after a crash. What is amiss with one stands with it. An id that no
 * topic has is UNKNOWN_TOPIC_ID, with no name. INVALID_REQUEST, and not deleted, is what has a name and an id or neither, and what is
 * named twice, also once by its name and once by its id. Any broker may be asked.
 * Versions: 5 tells the message of an error.
 * Not modelled: the timeout, since the deletion is over when it is answered; the setting delete.topic.enable.
 */
import type { BrokerCluster } from "@minikafka/core";
import { KAFKA_ERRORS, type RequestOf, type ResponseOf, ZERO_UUID } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";
import { namedTwice } from "../repeats.ts";

type Request = RequestOf<"DeleteTopics">;
type Asked = Request["topics"][number];
type TopicResult = ResponseOf<"DeleteTopics">["responses"][number];

export const deleteTopics: KafkaHandler<"DeleteTopics"> = {
  async serve(request, context, call) {
    const refused = (asked: Asked, why: string): TopicResult => ({
      ...asked,
      ...partProblem(new KafkaRefusal("INVALID_REQUEST", why), call),
    });
    const asked = askedOf(request).map((each) => ({ each, key: keyOf(each, context.cluster) }));
    const twice = namedTwice(asked.flatMap(({ key }) => key ?? []));
    const told = new Set<string>();
    // Each topic is gone before the next is looked at; their folders go side by side.
    const responses: (TopicResult | Promise<TopicResult>)[] = [];
    for (const { each, key } of asked) {
      if (key === null) responses.push(refused(each, "expected a name or an id, and not both"));
      else if (!twice.has(key)) responses.push(resultOf(each, context, call));
      else if (!told.has(key)) responses.push(refused(each, "the topic is named more than once"));
      if (key !== null) told.add(key);
    }
    return { responses: await Promise.all(responses) };
  },
  refusal: (request, errorCode) => ({
    responses: askedOf(request).map((asked) => ({ ...asked, errorCode })),
  }),
};

function askedOf({ topics, topicNames }: Request): readonly Asked[] {
  return [...topics, ...topicNames.map((name) => ({ name, topicId: ZERO_UUID }))];
}

/** The same for one topic, however it is named; `null` where it is named in no way, or in both. */
function keyOf({ name, topicId }: Asked, cluster: BrokerCluster): string | null {
  const isById = topicId !== ZERO_UUID;
  if (isById === (name !== null)) return null;
  if (isById) return topicId;
  return name !== null && cluster.hasTopic(name) ? cluster.describeTopic(name).topicId : `named ${name}`;
}

async function resultOf(asked: Asked, { cluster }: BrokerContext, call: KafkaCall): Promise<TopicResult> {
  const name = asked.name ?? cluster.topicOfId(asked.topicId);
  if (name === null)
    return { ...asked, errorCode: KAFKA_ERRORS.UNKNOWN_TOPIC_ID, errorMessage: "no topic has this id" };
  try {
    const topicId = cluster.hasTopic(name) ? cluster.describeTopic(name).topicId : ZERO_UUID;
    await cluster.deleteTopicLater(name);
    return { name, topicId, errorCode: NONE };
  } catch (problem) {
    return { name, topicId: asked.topicId, ...partProblem(problem, call) };
  }
}
