import type { LabText } from "../lab-text.ts";

export const acks: LabText = {
  name: "acks",
  title: "acks=1 loses what acks=all keeps",
  script: `
# acks=1 loses what acks=all keeps
#
# An acknowledgement is a promise. With acks=1 it says that the leader has the record, with acks=all that every
# in-sync replica has.

$ minikafka-broker --data lab --clock manual --brokers 3
w> watch payments -k appended -k truncated
~ watching
> topics create payments -r 3 -c min_insync_replicas=2
> produce payments -v ten --acks 1
~ offset 0

# The record is acknowledged. Nobody has fetched yet, and the leader is gone; another one takes over.

> broker stop 1
> promote payments 2

? Broker 1 comes back, with the record in its log. What becomes of it?

> broker start 1
> step replicate payments
~ truncated
> fetch payments -e
~ 0 records

# It is cut: who follows has what its leader has, and nothing else. The producer was told that all is well.
#
# The same with acks=all, in a terminal of its own, since it will have to wait.

a> produce payments -v twenty --acks all --timeout 10m
~ appended
> step replicate payments --replica 1

? Two of three have it, and min_insync_replicas is 2. Is it acknowledged?

> replicas payments

# No. acks=all waits for all that are in sync, and these are three; min_insync_replicas says how few they may be.

> step replicate payments --replica 3
~ a: partition 0, offset 0
> broker stop 2
> promote payments 3

? And now, after the same accident?

> fetch payments -e
~ twenty

# Nothing is lost: whoever may be promoted has it.
`,
};
