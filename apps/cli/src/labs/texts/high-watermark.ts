import type { LabText } from "../lab-text.ts";

export const highWatermark: LabText = {
  name: "high-watermark",
  title: "the log end offset and the high watermark, by single fetches",
  script: `
# The log end offset and the high watermark, by single fetches
#
# A log has two ends. The log end offset is the offset that the next record will get. The high watermark is the
# end of what consumers may see.

$ minikafka-broker --data lab --clock manual --brokers 3
w> watch orders -k high_watermark_moved
~ watching
> topics create orders -r 3

# The leader appends a record, and answers at once, since acks is 1.

> produce orders -v created
~ offset 0

? Can a consumer see it?

> fetch orders -e
~ 0 records
> replicas orders

# No. The log of the leader ends at 1, but the high watermark is 0: no follower has a copy. Now one of the two
# fetches.

> step replicate orders --replica 2

? Does the high watermark move?

> replicas orders
> fetch orders -e
~ 0 records

# No. It is the smallest log end offset of those in sync, and replica 3 ends at 0.

> step replicate orders --replica 3
~ from=0 to=1
> fetch orders -e
~ created

# Now it has moved to 1, and the record is there to be read.

? Which high watermark do the followers know of?

> replicas orders

# The old one: the answer to their fetch was written before it moved. They hear of it with their next one.

> step replicate orders
> replicas orders
`,
};
