import type { LabText } from "../lab-text.ts";

export const oldLeader: LabText = {
  name: "old-leader",
  title: "the old leader returns, by epoch and by high watermark",
  script: `
# The old leader returns, by epoch and by high watermark
#
# A leader dies with records that others have not, and comes back as a follower. How much of its log may it keep?
# First as Kafka does it since 0.11: by the history of leader epochs.

$ minikafka-broker --data epoch --clock manual --brokers 3 --reconciliation leader-epoch
> topics create orders -r 3
> produce orders -v a
> step replicate orders
> produce orders -v b
> step replicate orders --replica 2
> produce orders -v c
> replicas orders

# Everybody has "a". "b" is on brokers 1 and 2, and not visible yet; "c" is on broker 1 alone.

> broker stop 1
> promote orders 2

? Broker 1 comes back. Which of "a", "b" and "c" will a consumer see in the end?

> broker start 1
> step replicate orders
> step replicate orders
> fetch orders -e
~ b
> describe orders -p 0

# "a" and "b". The new leader kept all that it had, and began epoch 1 where its log ended, at offset 2. Broker 1 asked where
# epoch 0 ended, and cut "c".
#
# Now the same, with logs that are cut at the high watermark. Followers of Kafka did so before 0.11, and with the predecessor of
# this project new leaders as well.

$ minikafka-broker --data mark --clock manual --brokers 3 --reconciliation high-watermark
> topics create orders -r 3
> produce orders -v a
> step replicate orders
> produce orders -v b
> step replicate orders --replica 2
> produce orders -v c
> replicas orders
> broker stop 1

? The high watermark is 1. What does broker 2 do with "b" as it takes over?

> promote orders 2
> replicas orders
> broker start 1
> step replicate orders
> step replicate orders
> fetch orders -e
~ 1 record

# It cuts it, and "b" is gone, although it was on two disks. What nobody can see yet is not worth nothing: it may have been
# acknowledged.
`,
};
