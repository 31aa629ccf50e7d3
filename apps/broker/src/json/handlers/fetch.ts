/**
 * fetch: records of one partition from an offset up to the visible end; waits for `min_bytes` of them, at most
 * `max_wait_ms`. Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, OFFSET_OUT_OF_RANGE, STORAGE_ERROR.
 */

import { readWhenEnough } from "../../long-poll.ts";
import { FetchReading, patienceOf } from "../fetch-reading.ts";
import type { Handler } from "../handler.ts";

export const fetch: Handler<"fetch"> = (request, context, holder) =>
  readWhenEnough(patienceOf(request), [request], context, holder, () => {
    const reading = new FetchReading(context.cluster, request);
    const fields = reading.read(request, request.offset);
    return { fields, bytes: reading.bytesRead };
  });
