/** The examples of what needs no broker of its own, and of copies between two clusters. */
import type { TestBroker } from "@minikafka/testing";
import { needed, type Scene, shown } from "../support/scene.ts";
import { clusterOf, startedBroker } from "../support/transfer-world.ts";

/** Where the examples' cluster of Kafka's is. */
async function placesOf(cluster: TestBroker): Promise<{ readonly [name: string]: string }> {
  const [first = "", second = ""] = cluster.bootstrapBrokers;
  return { "kafka1:9092": first, "kafka2:9092": second, "kafka1:9093": first };
}

export const EXPORTS: Scene = {
  title: "topics are copied to a cluster of Kafka's",
  broker: "minikafka-broker --data ./data --kafka-port 9092",
  places: async () => placesOf(await startedBroker({ brokers: 2 })),
  takes: [
    needed("minikafka-cli topics create orders payments"),
    needed("seq 5 | minikafka-cli produce orders -q"),
    needed("minikafka-cli consume orders -g billing -e -q"),
    shown(
      "minikafka-cli export orders --to kafka://kafka1:9092,kafka2:9092 --dry-run",
      /^orders +orders +1 +is created /m,
    ),
    shown("minikafka-cli export orders --to kafka://kafka1:9092", /^orders +0 +5 /m),
    shown(
      "minikafka-cli export orders payments --to kafka://kafka1:9092 --groups billing",
      /^billing +orders +0 .* carried$/m,
    ),
    needed("echo security.protocol=PLAINTEXT > client.properties"),
    needed("seq 2 | minikafka-cli produce orders -q"),
    shown(
      "minikafka-cli export orders --to kafka://kafka1:9093 --kafka-config client.properties",
      /^orders +0 +2 /m,
    ),
  ],
};

export const IMPORTS: Scene = {
  title: "topics are copied from a cluster of Kafka's",
  broker: "minikafka-broker --data ./data --kafka-port 9092",
  places: async () => {
    const cluster = await startedBroker({ brokers: 2 });
    const admin = cluster.client.admin();
    await admin.createTopic({ topic: "orders", partitions: 1 });
    const producer = cluster.client.producer();
    await producer.send({ topic: "orders", value: "paid" });
    await producer.close();
    await admin.commitOffsets("billing", [{ topic: "orders", partition: 0, offset: 1 }]);
    return placesOf(cluster);
  },
  takes: [
    shown("minikafka-cli import orders --from kafka://kafka1:9092", /^orders +0 +1 /m),
    shown(
      "minikafka-cli import orders --from kafka://kafka1:9092 --groups all --force",
      /^billing +orders +0 .* carried$/m,
    ),
    shown(
      "minikafka-cli import orders --from kafka://kafka1:9092 --as orders-of-today --dry-run",
      /^orders +orders-of-today +1 +is created /m,
    ),
  ],
};

export const APIS: Scene = {
  title: "which of Kafka's requests a broker answers",
  broker: "minikafka-broker --data ./data --kafka-port 9092",
  places: async () => {
    const cluster = await startedBroker({});
    return { "kafka://127.0.0.1:9092": clusterOf(cluster) };
  },
  takes: [
    shown("minikafka-cli api versions", /^18 +ApiVersions +0 +4$/m),
    shown("minikafka-cli api unsupported", /^68 +ConsumerGroupHeartbeat$/m),
    shown(
      "minikafka-cli api versions --kafka kafka://127.0.0.1:9092 -J | jq '.apis[0]'",
      /"name": "Produce"/,
    ),
  ],
};

export const METRICS: Scene = {
  title: "what a broker measures is shown",
  // Port 9193 may be somebody else's here; where no line says one, the broker does.
  places: async () => {
    const settings = { port: 0 };
    const { client, address, httpAddress } = await startedBroker({
      http: true,
      topics: { orders: 1 },
      settings,
    });
    await client.producer().send({ topic: "orders", value: "paid" });
    await client.admin().commitOffsets("billing", [{ topic: "orders", partition: 0, offset: 0 }]);
    const broker = `127.0.0.1:${address.port}`;
    return {
      "cli metrics": `cli -b ${broker} metrics`,
      "--http 127.0.0.1:9193": `--http 127.0.0.1:${httpAddress.port}`,
    };
  },
  takes: [
    shown("minikafka-cli metrics", /^kafka_brokers +1 /m),
    shown(
      "minikafka-cli metrics kafka_topic_partition kafka_server_replicamanager",
      /^kafka_topic_partition_current_offset +1 +/m,
    ),
    shown(
      "minikafka-cli metrics kafka_topic_partition_current_offset -J | jq '.metrics[0].samples'",
      /"topic": "orders"/,
    ),
    shown("minikafka-cli metrics --prom --http 127.0.0.1:9193", /^# TYPE kafka_brokers gauge$/m),
  ],
};

export const WITHOUT_A_BROKER: Scene = {
  title: "what needs no broker",
  takes: [
    shown("minikafka-cli version", /^\S* ?\d+\.\d+\.\d+$/m),
    shown("minikafka-cli version -J | jq -r .version", /^\d+\.\d+\.\d+$/m),
    shown("minikafka-cli context add local 127.0.0.1:9192 --use", /^local +127\.0\.0\.1:9192 +\*$/m),
    shown("minikafka-cli context add spare 127.0.0.1:9193", /^spare +127\.0\.0\.1:9193 +-$/m),
    shown("minikafka-cli context list", /^local .* \*\nspare .* -$/m),
    shown("minikafka-cli context use spare", /^spare +127\.0\.0\.1:9193 +\*$/m),
    shown("minikafka-cli context use --none", /^$/),
    shown("minikafka-cli context remove spare", /^$/),
    needed("test \"$(minikafka-cli context list -J | jq -r '.contexts[].name')\" = local"),
    shown("minikafka-cli lab list", /^1 +high-watermark /m),
    shown("minikafka-cli lab run high-watermark --step", /high watermark/),
    shown("minikafka-cli cheat", /^produce +/m),
    shown("minikafka-cli cheat produce", /--idempotent/),
    shown("minikafka-cli cheat kafka", /kafka-topics\.sh/),
    shown('eval "$(minikafka-cli completion bash)"', /^/),
    // What fish reads is shown here; e2e/cli-completion.e2e.test.ts has fish read it, where there is one.
    needed("source() { cat; }"),
    shown("minikafka-cli completion fish | source", /^complete /m),
  ],
};
