/**
 * DeleteTopics: topics by name, and since version 6 by id.
 *
 * Behaviour: a topic that is answered without an error is gone, also after a crash. What is amiss with one stands with it. An id that no
 * topic has is UNKNOWN_TOPIC_ID, with no name; a name with an id beside it INVALID_REQUEST. Any broker may be asked.
 * Versions: 5 tells the message of an error.
 * Not modelled: the timeout, since the deletion is over when it is answered; the setting delete.topic.enable.
 */
import { KAFKA_ERRORS, type RequestOf, type ResponseOf, ZERO_UUID } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../json/handler.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";

type Request = RequestOf<"DeleteTopics">;
type Asked = Request["topics"][number];
type TopicResult = ResponseOf<"DeleteTopics">["responses"][number];

export const deleteTopics: KafkaHandler<"DeleteTopics"> = {
  serve: (request, context, call) => ({
    responses: askedOf(request).map((asked) => resultOf(asked, context, call)),
  }),
  refusal: (request, errorCode) => ({
    responses: askedOf(request).map((asked) => ({ ...asked, errorCode })),
  }),
};

function askedOf({ topics, topicNames }: Request): readonly Asked[] {
  return [...topics, ...topicNames.map((name) => ({ name, topicId: ZERO_UUID }))];
}

function resultOf(asked: Asked, { cluster }: BrokerContext, call: KafkaCall): TopicResult {
  const isById = asked.topicId !== ZERO_UUID;
  const name = isById ? cluster.topicOfId(asked.topicId) : asked.name;
  if (isById && asked.name !== null)
    return { ...asked, ...partProblem(new KafkaRefusal("INVALID_REQUEST", "both a name and an id"), call) };
  if (name === null)
    return { ...asked, errorCode: KAFKA_ERRORS.UNKNOWN_TOPIC_ID, errorMessage: "no topic has this id" };
  try {
    const topicId = isById || !cluster.hasTopic(name) ? asked.topicId : cluster.describeTopic(name).topicId;
    cluster.deleteTopic(name);
    return { name, topicId, errorCode: NONE };
  } catch (problem) {
    return { name, topicId: asked.topicId, ...partProblem(problem, call) };
  }
}
