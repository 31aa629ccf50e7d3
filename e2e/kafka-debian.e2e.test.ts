/**
 * Kafka's clients from Debian's packages against the running daemon, or Python's newer ones where its first interpreter has them: kcat and
 * python3-confluent-kafka, which are librdkafka, and python3-kafka. Where one is not installed its tests are skipped, and say so.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { valuesOf } from "./support/committed-values.ts";
import { addressesOf, kafkaWorld } from "./support/kafka-world.ts";

const PYTHONS = ["python3", "/usr/bin/python3"];

function runs(program: string, arguments_: readonly string[]): boolean {
  return spawnSync(program, arguments_, { stdio: "ignore" }).status === 0;
}

const pythonWith = (module: string) => PYTHONS.find((python) => runs(python, ["-c", `import ${module}`]));
const kcat = ["kcat", "kafkacat"].find((program) => runs(program, ["-V"]));
const confluent = pythonWith("confluent_kafka");
const kafkaPython = pythonWith("kafka.admin");

/** Its output, when it has ended well. */
async function output(program: string, arguments_: readonly string[], input = ""): Promise<string> {
  const child = spawn(program, arguments_, { stdio: "pipe" });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  child.stdin.end(input);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said.err}`);
  return said.out;
}

/** Of what is not installed; the evidence names these reasons. */
const NO_KCAT = "kcat is not installed";
const NO_CONFLUENT = "python3-confluent-kafka is not installed";
const NO_PYTHON = "python3-kafka is not installed";

function skipUnless(program: string | undefined, reason: string, skip: (note: string) => void): string {
  if (program !== undefined) return program;
  console.log(`skipped: ${reason}`);
  skip(reason);
  return "";
}

/** Long enough that it is worth packing. */
const PADDING = ` ${"x".repeat(500)}`;

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

test("kcat produces with each codec and acks that it has, and reads from the start, an offset and the end of a time", async ({
  skip,
}) => {
  const program = skipUnless(kcat, NO_KCAT, skip);
  const { daemon, client } = await kafkaWorld();
  const servers = ["-b", addressesOf(daemon).join()];
  const produce = (value: string, ...more: string[]) =>
    output(program, [...servers, "-P", "-t", "t", ...more], `k:${value}${PADDING}\n`);
  for (const codec of ["none", "gzip", "snappy", "lz4", "zstd"]) await produce(codec, "-K:", "-z", codec);
  for (const acks of ["0", "1", "all"]) await produce(acks, "-K:", "-X", `acks=${acks}`, "-H", "h=1");
  await produce("idempotent", "-K:", "-X", "enable.idempotence=true");
  const all = ["none", "gzip", "snappy", "lz4", "zstd", "0", "1", "all", "idempotent"];
  expect(await valuesOf(client, "t")).toEqual(all.map((value) => `${value}${PADDING}`));
  const read = (...more: string[]) => output(program, [...servers, "-C", "-t", "t", "-e", "-q", ...more]);
  const consume = async (...more: string[]) => lines((await read(...more)).replaceAll(PADDING, ""));
  expect(await consume("-o", "beginning", "-f", "%k=%s\n")).toEqual(all.map((value) => `k=${value}`));
  expect(await consume("-o", "6", "-f", "%o %h %s\n")).toEqual(["6 h=1 1", "7 h=1 all", "8  idempotent"]);
  expect(await consume("-o", "s@0", "-c", "1")).toEqual(["none"]);
  expect(await consume("-o", "-1")).toEqual(["idempotent"]);
  expect(await output(program, [...servers, "-L", "-t", "t"])).toContain('topic "t" with 1 partitions');
});

test("kcat reads as a member of a group, and goes on where it had committed", async ({ skip }) => {
  const program = skipUnless(kcat, NO_KCAT, skip);
  const { daemon, client } = await kafkaWorld();
  const send = (value: string) => client.producer({ acks: "all" }).send({ topic: "t", partition: 0, value });
  await client.admin().createTopic({ topic: "t", partitions: 1 });
  for (const value of ["one", "two"]) await send(value);
  const member = [
    "-b",
    addressesOf(daemon).join(),
    "-q",
    "-X",
    "auto.offset.reset=earliest",
    "-G",
    "readers",
    "t",
  ];
  expect(lines(await output(program, ["-c", "2", ...member]))).toEqual(["one", "two"]);
  await send("three");
  expect(lines(await output(program, ["-c", "1", ...member]))).toEqual(["three"]);
  expect(await client.admin().fetchOffsets("readers")).toMatchObject([
    { topic: "t", partition: 0, offset: 3 },
  ]);
});

const CONFLUENT = `
import sys
from confluent_kafka import Consumer, Producer, TopicPartition
servers = sys.argv[1]
producer = Producer({"bootstrap.servers": servers, "transactional.id": "billing"})
producer.init_transactions()
for value, commits in (("one", True), ("lost", False), ("two", True)):
    producer.begin_transaction()
    producer.produce("t", key="k", value=value, headers={"h": "1"})
    producer.flush()
    producer.commit_transaction() if commits else producer.abort_transaction()
consumer = Consumer({"bootstrap.servers": servers, "group.id": "readers", "auto.offset.reset": "earliest", "enable.auto.commit": False})
consumer.subscribe(["t"])
seen = 0
while seen < 2:
    message = consumer.poll(10)
    if message is None or message.error(): raise SystemExit("nothing came: %s" % (message and message.error()))
    print(message.offset(), message.key().decode(), message.value().decode(), message.headers())
    seen += 1
consumer.commit(asynchronous=False)
print(consumer.committed([TopicPartition("t", 0)], 10)[0].offset)
print(consumer.get_watermark_offsets(TopicPartition("t", 0), 10))
consumer.close()
`;

test("python3-confluent-kafka runs transactions, and reads what is committed as a member of a group", async ({
  skip,
}) => {
  const python = skipUnless(confluent, NO_CONFLUENT, skip);
  const { daemon, client } = await kafkaWorld();
  await client.admin().createTopic({ topic: "t", partitions: 1 });
  expect(lines(await output(python, ["-c", CONFLUENT, addressesOf(daemon).join()]))).toEqual([
    "0 k one [('h', b'1')]",
    "4 k two [('h', b'1')]",
    "5",
    "(0, 6)",
  ]);
  expect(await valuesOf(client, "t")).toEqual(["one", "two"]);
  expect(await client.admin().fetchOffsets("readers")).toMatchObject([{ offset: 5 }]);
});

/** Members of one group whose assignments are heard of, each by its letter; what they were told comes out in the order of the script. */
const CONFLUENT_GROUPS = `
import sys, time
from confluent_kafka import Consumer
servers, strategy, group = sys.argv[1:4]
heard = []
class Member:
    def __init__(self, letter, instance=None):
        self.letter, self.parts = letter, set()
        config = {"bootstrap.servers": servers, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False,
                  "partition.assignment.strategy": strategy, "heartbeat.interval.ms": 50, "session.timeout.ms": 10000}
        if instance: config["group.instance.id"] = instance
        self.consumer = Consumer(config)
        self.consumer.subscribe(["jobs"], on_assign=self.assigned, on_revoke=self.revoked)
    def assigned(self, consumer, parts):
        self.parts |= {each.partition for each in parts}
        heard.append("%s+%d" % (self.letter, len(parts)))
    def revoked(self, consumer, parts):
        self.parts -= {each.partition for each in parts}
        heard.append("%s-%d" % (self.letter, len(parts)))
def until(members, each):
    end = time.monotonic() + 30
    while any(len(member.parts) != each for member in members):
        if time.monotonic() > end: raise SystemExit("never shared: %s" % heard)
        for member in members: member.consumer.poll(0.05)
def told():
    said = " ".join(each for each in heard if not each.endswith(("+0", "-0")))
    heard.clear()
    return said
`;

test("python3-confluent-kafka's cooperative members let go of what others get, and of nothing else", async ({
  skip,
}) => {
  const python = skipUnless(confluent, NO_CONFLUENT, skip);
  const { daemon, client } = await kafkaWorld();
  await client.admin().createTopic({ topic: "jobs", partitions: 4 });
  const script = `${CONFLUENT_GROUPS}
a = Member("a")
until([a], 4)
print(told())
b = Member("b")
until([a, b], 2)
print(told())
b.consumer.close()
until([a], 4)
print(told().replace("b-2", "").strip())
a.consumer.close()
`;
  const arguments_ = ["-c", script, addressesOf(daemon).join(), "cooperative-sticky", "readers"];
  expect(lines(await output(python, arguments_))).toEqual(["a+4", "a-2 b+2", "a+2"]);
});

test("python3-confluent-kafka's static member that goes and comes back has what it had, and nobody else hears of it", async ({
  skip,
}) => {
  const python = skipUnless(confluent, NO_CONFLUENT, skip);
  const { daemon, client } = await kafkaWorld();
  await client.admin().createTopic({ topic: "jobs", partitions: 4 });
  const script = `${CONFLUENT_GROUPS}
a, b = Member("a", "one"), Member("b", "two")
until([a, b], 2)
had = a.parts.copy()
heard.clear()
a.consumer.close()
heard.clear()
again = Member("c", "one")
until([again, b], 2)
print(told(), again.parts == had)
for member in (again, b): member.consumer.close()
`;
  const arguments_ = ["-c", script, addressesOf(daemon).join(), "range", "readers"];
  expect(lines(await output(python, arguments_))).toEqual(["c+2 True"]);
  // Static members that close stay until their session is over.
  expect((await client.admin().describeGroup("readers")).members).toHaveLength(2);
});

const KAFKA_PYTHON = `
import sys
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
servers = sys.argv[1].split(",")
admin = KafkaAdminClient(bootstrap_servers=servers)
admin.create_topics([NewTopic("t", 2, 1)])
for acks, codec in ((0, None), (1, "gzip"), ("all", None)):
    producer = KafkaProducer(bootstrap_servers=servers, acks=acks, compression_type=codec)
    producer.send("t", key=b"k", value=str(acks).encode(), headers=[("h", b"1")], partition=0, timestamp_ms=1700000000000)
    producer.flush()
    producer.close()
consumer = KafkaConsumer("t", bootstrap_servers=servers, group_id="readers", auto_offset_reset="earliest", consumer_timeout_ms=10000)
seen = 0
for message in consumer:
    print(message.offset, message.key.decode(), message.value.decode(), message.headers, message.timestamp)
    seen += 1
    if seen == 3: break
consumer.commit()
place = TopicPartition("t", 0)
print(consumer.committed(place), consumer.end_offsets([place])[place], consumer.offsets_for_times({place: 1})[place].offset)
consumer.close()
print(admin.list_consumer_groups() if hasattr(admin, "list_consumer_groups") else [(group["group_id"], group["protocol_type"]) for group in admin.list_groups()])
admin.delete_topics(["t"])
print("t" in admin.list_topics())
admin.close()
`;

test("python3-kafka makes a topic, produces, reads as a member of a group, and deletes what it made", async ({
  skip,
}) => {
  const python = skipUnless(kafkaPython, NO_PYTHON, skip);
  const { daemon } = await kafkaWorld();
  expect(lines(await output(python, ["-c", KAFKA_PYTHON, addressesOf(daemon).join()]))).toEqual([
    ...["0", "1", "all"].map((acks, offset) => `${offset} k ${acks} [('h', b'1')] 1700000000000`),
    "3 3 0",
    "[('readers', 'consumer')]",
    "False",
  ]);
});
