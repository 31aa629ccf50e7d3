import type { LabText } from "../lab-text.ts";

export const retentionCompaction: LabText = {
  name: "retention-compaction",
  title: "retention against compaction",
  script: `
# Retention against compaction
#
# Two topics get the same records. One forgets what is old, the other what is outdated.

$ minikafka-broker --data lab --clock manual
> topics create moves -c message_timestamp_type=LogAppendTime -c retention_ms=1h
> topics create homes -c cleanup_policy=compact -c delete_retention_ms=2h -c min_cleanable_dirty_ratio=0
> produce moves -k alice -v Rome -q
> produce moves -k bob -v Oslo -q
> produce moves -k carol -v Lima -q
> produce moves -k alice -v Kyiv -q
> produce moves -k carol -v '' -Z -q
> produce homes -k alice -v Rome -q
> produce homes -k bob -v Oslo -q
> produce homes -k carol -v Lima -q
> produce homes -k alice -v Kyiv -q
> produce homes -k carol -v '' -Z -q

# Carol's last record is a tombstone: it has a key and no value. Compaction leaves the segment alone that is being
# written, so that it is closed and flushed first.

> step roll homes
> step flush
> step compact homes

? Five records were there. Which are left, and at which offsets?

> fetch homes -e -Z -f '%o %k=%v\\n'
~ 3 alice=Kyiv

# The latest of each key, where they were. Carol's tombstone stays for a while, so that whoever reads later hears of it.

> clock advance 61m

? More than an hour has passed. What is left in either topic?

> step retention
> fetch moves -e -f '%o %k=%v\\n'
~ 0 records
> fetch homes -e -Z -f '%o %k=%v\\n'
~ 1 bob=Oslo

# Retention by time takes all that is old, also what is still true. Compaction knows where Bob lives. After its time, two hours
# from the first cleaning, the tombstone goes as well.

> clock advance 61m
> step compact homes
> fetch homes -e -Z -f '%o %k=%v\\n'
~ 2 records
`,
};
