import type { LabText } from "../lab-text.ts";

export const lastStableOffset: LabText = {
  name: "last-stable-offset",
  title: "the last stable offset, and why lag sticks at 1",
  script: `
# The last stable offset, and why lag sticks at 1
#
# The records of a transaction are in the log before anybody knows how it ends.

$ minikafka-broker --data lab --clock manual
w> watch ledger -k appended -k last_stable_offset_moved
~ watching
> topics create ledger
> produce ledger -v before

# A producer in another terminal has a transaction open, and writes a record; then somebody else writes one.

a> produce ledger --transactional-id transfers --transaction-timeout 15m
a< minus ten
~ a: partition 0, offset 1
> produce ledger -v after

? What does a consumer see that reads committed records only?

> fetch ledger -e -f '%o %v\\n' --isolation read_committed
~ stopped before an open transaction
> fetch ledger -e -f '%o %v\\n'
~ 2 after

# It stops before the first open transaction, at the last stable offset, although "after" has nothing to do with it. Others
# see everything. Now the transaction is committed.

a< ^D
~ committed the transaction
> fetch ledger -e -f '%o %v\\n' --isolation read_committed
~ 3 records

? The last record has offset 2. A consumer has read it, and commits 3. How far is it behind?

> offsets commit audit ledger:0=3
> groups describe audit

# By 1, for ever: offset 3 is the marker that ended the transaction, and no record.

> log dump ledger -p 0 --records
> consume ledger -g audit -e --isolation read_committed
> groups describe audit

# A consumer that commits its position, and not "the last record plus one", passes over the marker, and is behind by 0.
`,
};
