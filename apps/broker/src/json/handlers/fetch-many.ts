/**
 * fetch_many: several partitions in one answer, in the order asked, until `max_bytes` and `max_records` are used up; those
 * that come later then show their marks alone. One partition's error stands in its own entry and spoils no other; while
 * there is one to tell, nobody waits.
 */
import { BrokerError } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import { readWhenEnough } from "../../long-poll.ts";
import { FetchReading, patienceOf } from "../fetch-reading.ts";
import type { Handler } from "../handler.ts";

type Entry = ResponseFields<"fetch_many">["partitions"][number];

export const fetchMany: Handler<"fetch_many"> = (request, context, holder) =>
  readWhenEnough(patienceOf(request), request.partitions, context, holder, () => {
    const reading = new FetchReading(context.cluster, request);
    const partitions: Entry[] = [];
    let hasError = false;
    for (const each of request.partitions) {
      const { topic, partition, topic_id: topicId } = each;
      try {
        if (topicId !== undefined) context.cluster.requireTopicId(topic, topicId);
        partitions.push({ topic, partition, ...reading.read(each, each.offset, each.max_bytes) });
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        hasError = true;
        partitions.push({
          topic,
          partition,
          code: error.code,
          message: error.message,
          details: { ...error.details },
        });
      }
    }
    return { fields: { partitions }, bytes: hasError ? Number.POSITIVE_INFINITY : reading.bytesRead };
  });
