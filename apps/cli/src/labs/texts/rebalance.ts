import type { LabText } from "../lab-text.ts";

export const rebalance: LabText = {
  name: "rebalance",
  title: "a partition changes hands, behind a barrier or at once",
  script: `
# A partition changes hands, behind a barrier or at once
#
# Two consumers share a topic. Here we speak to the broker as a consumer does.

$ minikafka-broker --data barrier --clock manual --rebalance barrier
> topics create jobs -p 2
> raw '{"operation":"join_group","group_id":"workers","member_id":"ann","topics":["jobs"]}'

# Ann has both partitions. Bob joins.

> raw '{"operation":"join_group","group_id":"workers","member_id":"bob","topics":["jobs"]}'

? Ann has not heard of him yet. What does he get?

> groups describe workers --members

# Nothing for now: partition 1 is pending for him until Ann has let it go. She hears of it when she asks, finishes what she
# has begun, commits, and says in her heartbeat what she still has.

> raw '{"operation":"group_assignment","group_id":"workers","member_id":"ann"}'
> raw '{"operation":"commit_offsets","group_id":"workers","member_id":"ann","generation":2,"offsets":[{"topic":"jobs","partition":1,"offset":7}]}'
> raw '{"operation":"heartbeat","group_id":"workers","member_id":"ann","generation":2,"owned":[{"topic":"jobs","partition":0}]}'
> groups describe workers --members
> offsets get workers
~ 7

# Partition 1 is Bob's, and he goes on where she ended. Now the same without a barrier.

$ minikafka-broker --data immediate --clock manual --rebalance immediate
> topics create jobs -p 2
> raw '{"operation":"join_group","group_id":"workers","member_id":"ann","topics":["jobs"]}'
> raw '{"operation":"join_group","group_id":"workers","member_id":"bob","topics":["jobs"]}'
> groups describe workers --members

? Ann still believes that partition 1 is hers, and works on it. When does she find out?

> raw '{"operation":"commit_offsets","group_id":"workers","member_id":"ann","generation":1,"offsets":[{"topic":"jobs","partition":1,"offset":7}]}'
~ ILLEGAL_GENERATION

# When she commits: her generation is over. Bob has worked on the same records. The fence keeps a committed offset from moving
# back; that work is not done twice takes the barrier.
`,
};
