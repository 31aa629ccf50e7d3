import type { LabText } from "../lab-text.ts";

export const lookUps: LabText = {
  name: "look-ups",
  title: "look-ups through sparse indexes",
  script: `
# Look-ups through sparse indexes
#
# A log is a row of segments, and each has an index that knows only some of its batches: one for every 4096 bytes.

$ minikafka-broker --data lab --clock manual --start-time 0
> topics create readings -c segment_bytes=16384 -c message_timestamp_type=LogAppendTime
> seq 1 300 | produce readings -q >/dev/null
> clock advance 1m
> seq 301 600 | produce readings -q >/dev/null
> clock advance 1m
> seq 601 900 | produce readings -q >/dev/null
> clock advance 1m
> seq 901 1200 | produce readings -q >/dev/null
> clock advance 1m
> seq 1201 1500 | produce readings -q >/dev/null
> describe readings -p 0

# 300 records a minute, and a new segment when the next batch would make one larger than 16 KiB.

? How does a read find offset 1000, without reading the log from its beginning?

> log find readings -p 0 --offset 1000
~ offset: 1000

# It takes the last segment that begins at that offset or below, in it the nearest entry of the index, and walks from there
# over a batch or two. The batch is read whole; the record is in it.

? And the first record that is not earlier than two minutes and ten seconds (130000 ms)?

> log find readings -p 0 --time 130000
~ offset: 900
> topics offsets readings -p 0 --at @130000
~ 900

# The first segment whose latest time is late enough, its time index, the offset index, and the same walk.
`,
};
