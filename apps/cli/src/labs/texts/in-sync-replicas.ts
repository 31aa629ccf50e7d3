import type { LabText } from "../lab-text.ts";

export const inSyncReplicas: LabText = {
  name: "in-sync-replicas",
  title: "the in-sync replicas shrink, before the append and after it",
  script: `
# The in-sync replicas shrink, before the append and after it
#
# acks=all waits for all that are in sync, and those may become few. min_insync_replicas says how few are too few.

$ minikafka-broker --data lab --clock manual --brokers 3 --replica-lag-time-ms 10000
w> watch orders -k appended -k isr_changed -k high_watermark_moved
~ watching
> topics create orders -r 3 -c min_insync_replicas=2
a> produce orders -v one --acks all --timeout 10m
~ appended
> step replicate orders --replica 2

# Replica 3 does not fetch. After 10 seconds of not being caught up it is out of sync; replica 2 fetches in time.

> clock advance 11s
> step replicate orders --replica 2

? Who waits for replica 3 once it is out?

> step isr orders
~ a: partition 0, offset 0

# Nobody: the high watermark moves over the record, and the producer has its answer.
#
# Next: a record waits for replica 2, the last follower in sync, and that is taken out.

a> produce orders -v two --acks all --timeout 10m
~ appended

? The record is in the leader's log. What is its producer told?

> remove-from-isr orders 2
~ NOT_ENOUGH_REPLICAS_AFTER_APPEND

# That it was appended, and not replicated as asked: its fate is open.

? And who asks for acks=all now?

> produce orders -v three --acks all --timeout 3s
~ NOT_ENOUGH_REPLICAS
> replicas orders

# Is refused before anything is appended: the log still ends at 2. The high watermark stays at 1, although the only
# replica in sync has more: below min_insync_replicas nothing more becomes visible.

> rejoin orders 2
~ high_watermark_moved
> fetch orders -e
~ two

# With two in sync again it passes over what waited.
`,
};
