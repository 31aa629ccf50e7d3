/**
 * The cheat sheets. A test types each of them into a shell, from the first line to the last, beside a broker that was started as its sheet
 * says; so each begins with what it needs, no command waits for another terminal, and none fails.
 */

export interface SheetText {
  readonly name: string;
  readonly title: string;
  /** How the broker is started that it is typed for. */
  readonly broker: string;
  /** Remarks (`# …`) and the commands under them. */
  readonly text: string;
}

const PLAIN = "minikafka-broker --data ./data";
const LAB = "minikafka-broker --data ./data --lab";
const THREE = "minikafka-broker --data ./data --brokers 3";
const MANUAL = "minikafka-broker --data ./lab --clock manual --brokers 3";

export const SHEET_TEXTS: readonly SheetText[] = [
  {
    name: "topics",
    title: "make, look at, change and delete topics",
    broker: PLAIN,
    text: `
# three partitions; a second time it is no error
minikafka-cli topics create orders -p 3 --if-not-exists
# with settings, in Kafka's spelling or with underscores
minikafka-cli topics create sessions -c cleanup.policy=compact -c retention_ms=7d
minikafka-cli topics list
minikafka-cli topics describe orders
# every setting, and those that somebody has set
minikafka-cli topics config sessions
minikafka-cli topics config sessions --overrides
minikafka-cli topics alter sessions -c retention_ms=1h --unset cleanup_policy
# where the partitions begin and end, and where a time is
minikafka-cli topics offsets orders
minikafka-cli topics offsets orders --at @1700000000000
# more partitions; fewer cannot be
minikafka-cli topics grow orders 6
# delete what lies below an offset, and everything
minikafka-cli topics trim orders -p 0 --before end
minikafka-cli topics delete orders sessions`,
  },
  {
    name: "produce",
    title: "write records",
    broker: PLAIN,
    text: String.raw`
minikafka-cli topics create orders -p 2 --if-not-exists
# one record; each line of stdin; key and value of each line
minikafka-cli produce orders -v created -k alice
seq 3 | minikafka-cli produce orders
printf 'alice:paid\nbob:paid\n' | minikafka-cli produce orders -K :
# to one partition, with headers, on every in-sync replica
minikafka-cli produce orders -v paid -p 1 -H source=web -H trace --acks all
# once each and in order, whatever breaks on the way
seq 100 | minikafka-cli produce orders --idempotent -q
# a tombstone
minikafka-cli produce orders -k alice -v '' -Z
# records in JSON, as fetch -J prints them
echo '{"key":"bob","value":"shipped","headers":[{"key":"source","value":"web"}]}' | minikafka-cli produce orders --jsonl
# copy a topic
minikafka-cli topics create copy -p 2
minikafka-cli fetch orders -e -J | minikafka-cli produce copy --jsonl --compression gzip -q`,
  },
  {
    name: "consume",
    title: "read records",
    broker: PLAIN,
    text: String.raw`
minikafka-cli topics create orders -p 2 --if-not-exists
printf 'alice:created\nbob:created\n' | minikafka-cli produce orders -K :
# everything there is; without -e it waits for more
minikafka-cli fetch orders -e
# one partition, from an offset; the last record; since a time
minikafka-cli fetch orders -p 1 -o 0 -e
minikafka-cli fetch orders -o -1 -e
minikafka-cli fetch orders -o @1700000000000 -e
# so many, as JSON, or in a format of your own
minikafka-cli fetch orders -n 1 -J
minikafka-cli fetch orders -e -f '%t[%p]@%o %T %k=%v %h\n'
# as a member of a group: it goes on where the group has committed
minikafka-cli consume orders -g billing -e
minikafka-cli consume orders -g billing -e
# only what is committed
minikafka-cli fetch orders -e --isolation read_committed`,
  },
  {
    name: "groups",
    title: "see, move and delete consumer groups",
    broker: PLAIN,
    text: `
minikafka-cli topics create orders -p 2 --if-not-exists
seq 10 | minikafka-cli produce orders -p 0 -q
minikafka-cli consume orders -g billing -e -q
minikafka-cli groups list
# offsets and lag; who is a member; in which state
minikafka-cli groups describe billing
minikafka-cli groups describe billing --members
minikafka-cli groups describe billing --state
# wait, in a script, until everything is read
minikafka-cli groups wait billing --drained --timeout 10s
# what would be read again, and then for real
minikafka-cli groups seek billing --to-earliest
minikafka-cli groups seek billing --shift-by -3 --topic orders:0 --execute
minikafka-cli groups seek billing --to-time 2026-01-31T12:00:00Z --execute
# single offsets, and all of the group
minikafka-cli offsets get billing
minikafka-cli offsets commit billing orders:0=7
minikafka-cli offsets delete billing orders:1
minikafka-cli groups delete billing`,
  },
  {
    name: "transactions",
    title: "write all or nothing, and see what is open",
    broker: PLAIN,
    text: String.raw`
minikafka-cli topics create ledger -p 2 --if-not-exists
# all of stdin is one transaction
printf 'alice:-10\nbob:+10\n' | minikafka-cli produce ledger -K : --transactional-id transfers
# readers of committed records see all of it, or nothing
minikafka-cli fetch ledger -e -f '%p/%o %k=%v\n' --isolation read_committed
# which ids there are, how one stands, who is open
minikafka-cli tx list
minikafka-cli tx list --state ongoing
minikafka-cli tx describe transfers
# end what a dead producer has left open
minikafka-cli tx abort transfers
# the markers in the log
minikafka-cli log dump ledger -p 1 --records`,
  },
  {
    name: "replication",
    title: "replicas, leaders, and brokers that are away",
    broker: THREE,
    text: `
minikafka-cli topics create payments -r 3 -c min_insync_replicas=2
minikafka-cli produce payments -v paid --acks all
# who leads, who is in sync, how far each has come
minikafka-cli replicas payments
minikafka-cli describe
minikafka-cli describe payments -p 0
# a broker goes, another one leads, and it comes back
minikafka-cli broker stop 1
minikafka-cli promote payments 2
minikafka-cli produce payments -v again --acks all
minikafka-cli broker start 1
minikafka-cli rejoin payments 1`,
  },
  {
    name: "step",
    title: "time stands still: one piece of work at a time",
    broker: MANUAL,
    text: `
minikafka-cli topics create orders -r 3 -c message_timestamp_type=LogAppendTime -c retention_ms=1h
minikafka-cli produce orders -v created
# what would come next; one of it; all of it
minikafka-cli step next
minikafka-cli step replicate orders --replica 2
minikafka-cli step until-quiet
# time, and what it brings
minikafka-cli clock show
minikafka-cli clock advance --to-next-deadline
minikafka-cli clock advance 2h
minikafka-cli step isr
minikafka-cli step retention orders
minikafka-cli step flush
# a state to come back to
minikafka-cli snapshot save before
minikafka-cli produce orders -v paid
minikafka-cli snapshot diff before
minikafka-cli snapshot load before
# all that has happened, to be carried out again
minikafka-cli trace --save experiment.ndjson -e
minikafka-cli trace replay experiment.ndjson --check`,
  },
  {
    name: "faults",
    title: "break things on purpose, and see whether they broke",
    broker: LAB,
    text: `
minikafka-cli topics create orders --if-not-exists
# where, and what may be done there
minikafka-cli fault points request.
# the answer is lost with the connection, once; the producer tries again
minikafka-cli fault arm request.produce close-after
minikafka-cli produce orders -v paid --idempotent
# twice an error, for one topic
minikafka-cli fault arm request.produce error --code NOT_ENOUGH_REPLICAS --first 2 -t orders
minikafka-cli produce orders -v shipped
# each answer takes longer; the third flush fails; the process dies
minikafka-cli fault arm request.list_topics delay --delay 50ms --always
minikafka-cli topics list
minikafka-cli fault arm log.flush.before_sync error --nth 3 --errno EIO
minikafka-cli fault arm log.append.after_write crash --nth 1000
# what is armed, whether it acted, an end of it
minikafka-cli fault list
minikafka-cli fault assert 1 2 3
minikafka-cli fault disarm`,
  },
  {
    name: "log",
    title: "what lies in the files",
    broker: PLAIN,
    text: `
minikafka-cli topics create orders --if-not-exists
seq 5 | minikafka-cli produce orders --acks all
# the batches of a partition, with their records, from an offset
minikafka-cli log dump orders -p 0
minikafka-cli log dump orders -p 0 --records -o 2 -n 1
# the way to an offset, and to a time
minikafka-cli log find orders -p 0 --offset 2
minikafka-cli log find orders -p 0 --time 2026-01-31T12:00:00Z
# every byte of it is checked
minikafka-cli log verify orders -p 0
# the same of a folder, whether a broker runs or not
minikafka-cli log verify ./data
minikafka-cli log dump ./data/broker-1/orders-0`,
  },
  {
    name: "scripts",
    title: "in scripts: JSON, exit codes, waiting, raw requests",
    broker: PLAIN,
    text: String.raw`
# wait for the broker; 7: it cannot be reached
until minikafka-cli ping -q >/dev/null; do sleep 1; done
minikafka-cli topics create orders --if-not-exists -J
# one document, or one a line
minikafka-cli topics describe orders -J
minikafka-cli produce orders -v paid -J
minikafka-cli fetch orders -e -J
# 3: not found; --help of minikafka-cli lists the codes
minikafka-cli topics describe no-such-topic 2>/dev/null || test $? = 3
# nothing but data; 3 where there is none
minikafka-cli fetch orders -e -q -f '%v\n' --fail-if-empty
# is the cluster well? a line for a monitor, with exit codes from 0 to 3 of its own
minikafka-cli check
# a broker by a name, which counts where none is named
minikafka-cli context add local 127.0.0.1:9192 --use --replace
minikafka-cli context list
# any request of the protocol, a line each
minikafka-cli raw '{"operation":"ping"}'
echo '{"operation":"list_topics"}' | minikafka-cli raw`,
  },
  {
    name: "kafka",
    title: "the words of kafka-*.sh, kcat and rpk, and these",
    broker: PLAIN,
    text: String.raw`
# kafka-topics.sh --create --topic orders --partitions 3 --replication-factor 1; rpk topic create orders -p 3
minikafka-cli topics create orders -p 3 -r 1
# kafka-topics.sh --describe --topic orders; kcat -L -t orders; rpk topic describe -p orders
minikafka-cli topics describe orders
# kafka-topics.sh --describe --under-replicated-partitions, --under-min-isr-partitions, --unavailable-partitions
minikafka-cli check
# kafka-console-producer.sh --topic orders --property parse.key=true --property key.separator=:; kcat -P -t orders -K:
echo alice:created | minikafka-cli produce orders -K :
# kafka-console-consumer.sh --topic orders --from-beginning; kcat -C -t orders -o beginning -e; rpk topic consume orders -o start:end
minikafka-cli fetch orders -o beginning -e
# kcat -C -t orders -e -f '%t %p %o %k %s\n'; rpk topic consume orders -f '%t %p %o %k %v\n'
minikafka-cli fetch orders -e -f '%t %p %o %k %s\n'
# kafka-console-consumer.sh --topic orders --group billing; kcat -G billing orders; rpk topic consume orders -g billing
minikafka-cli consume orders -g billing -e
# kafka-consumer-groups.sh --describe --group billing; rpk group describe billing
minikafka-cli groups describe billing
# kafka-consumer-groups.sh --group billing --reset-offsets --to-earliest --all-topics --execute; rpk group seek billing --to start
minikafka-cli groups seek billing --to-earliest --execute
# kafka-get-offsets.sh --topic orders --time -1
minikafka-cli topics offsets orders --at end
# kafka-configs.sh --alter --entity-type topics --entity-name orders --add-config retention.ms=3600000
minikafka-cli topics alter orders -c retention.ms=3600000
# kafka-delete-records.sh with orders, partition 0, offset -1
minikafka-cli topics trim orders -p 0 --before end
# kafka-dump-log.sh --files …/orders-0/00000000000000000000.log --print-data-log
minikafka-cli log dump orders -p 0 --records
# kafka-transactions.sh list
minikafka-cli tx list
# kafka-producer-perf-test.sh --topic orders --num-records 100 --record-size 100 --throughput -1
minikafka-cli bench produce --topic orders --records 100 --record-size 100`,
  },
];
