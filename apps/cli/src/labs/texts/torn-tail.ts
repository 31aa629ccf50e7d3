import type { LabText } from "../lab-text.ts";

export const tornTail: LabText = {
  name: "torn-tail",
  title: "a torn tail",
  script: `
# A torn tail
#
# When the power goes, a write that was not flushed may be on the disk in part. What is left of it must never be read
# as a record.

$ minikafka-broker --data lab --clock manual
> topics create orders
> produce orders -v a --acks all
> produce orders -v b --acks 1
> log dump orders -p 0

# "a" was flushed before the answer, "b" was written. First only the process dies.

! kill -9
$ minikafka-broker --data lab --clock manual

? Nobody has flushed "b". Is it there?

> fetch orders -e
~ b

# Yes: the system still had it. The power is another matter. We take the end of the file away, as a power cut may.

! kill -9
! cut 30 bytes off broker-1/orders-0
$ minikafka-broker --data lab --clock manual

? A part of "b" is there. What does a consumer see?

> fetch orders -e
~ 1 record
> log dump orders -p 0

# "a" alone: recovery keeps whole batches, and cuts the rest, whose CRC cannot be right. The next record gets the offset that
# "b" had.

> produce orders -v c --acks all
~ offset 1
`,
};
