/** The HTTP port of a real daemon, beside a client of Kafka's: what is told agrees with what was sent. */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { runBroker, temporaryFolder } from "./support/daemon.ts";
import { kafkaWorld, Member, opened } from "./support/kafka-world.ts";

/** Of who looks again and again, on a machine that is busy. */
const PATIENCE = { timeout: 10_000 };

const text = async (url: string) => (await fetch(url)).text();

/** The value of a sample, as a line of the text has it. */
function sampleOf(metrics: string, sample: string): number {
  const line = metrics.split("\n").find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1));
}

test("metrics, state and events of a daemon agree with what kafkajs has sent and read", async () => {
  const { daemon, kafka } = await kafkaWorld(["--http-port", "0"]);
  const url = `http://127.0.0.1:${daemon.http?.port}`;
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ready: true, reasons: [] });
  const stream = await fetch(`${url}/events?kinds=appended&topics=orders`);
  const producer = await opened(kafka.producer());
  for (let batch = 0; batch < 3; batch += 1)
    await producer.send({ topic: "orders", messages: [{ value: "a" }, { value: "b" }] });
  const member = await Member.begin(kafka, { topic: "orders", autoCommit: false });
  await member.until(() => member.messages.length === 6);
  await member.consumer.commitOffsets([{ topic: "orders", partition: 0, offset: "5" }]);

  const metrics = await text(`${url}/metrics`);
  const place = 'topic="orders",partition="0"';
  expect(
    [
      'kafka_server_brokertopicmetrics_messagesin_total{broker_id="1",topic="orders"}',
      `kafka_log_log_logendoffset{${place},broker_id="1"}`,
      `kafka_topic_partition_current_offset{${place}}`,
      'kafka_network_requestmetrics_requests_total{request="Produce"}',
      'kafka_network_requestmetrics_totaltimems_count{request="Produce"}',
      `kafka_consumergroup_current_offset{consumergroup="readers",${place}}`,
      `kafka_consumergroup_lag{consumergroup="readers",${place}}`,
    ].map((sample) => sampleOf(metrics, sample)),
  ).toEqual([6, 6, 6, 3, 3, 5, 1]);
  expect(sampleOf(metrics, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);

  const state = (await (await fetch(`${url}/snapshot?topics=orders`)).json()) as {
    topics: { partitions: { log_end_offset: number }[] }[];
    groups: { group_id: string; offsets: object[] }[];
  };
  expect(state.topics[0]?.partitions[0]?.log_end_offset).toBe(6);
  expect(state.groups.find(({ group_id }) => group_id === "readers")?.offsets).toMatchObject([
    { topic: "orders", partition: 0, offset: 5, lag: 1 },
  ]);

  const appended: number[] = [];
  let read = "";
  for await (const chunk of stream.body ?? []) {
    read += Buffer.from(chunk).toString();
    appended.splice(
      0,
      appended.length,
      ...[...read.matchAll(/"base_offset":(\d+)/g)].map(([, at]) => Number(at)),
    );
    if (appended.length >= 3) break;
  }
  expect(appended).toEqual([0, 2, 4]);
});

test("a reader of events that is killed, or reads nothing, is let go, and the daemon ends cleanly beside one", async () => {
  const { daemon, client } = await kafkaWorld(["--http-port", "0"]);
  const port = daemon.http?.port ?? 0;
  const streams = async () =>
    sampleOf(await text(`http://127.0.0.1:${port}/metrics`), "minikafka_event_streams");
  const deaf = () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return socket;
  };
  const [killed] = [deaf(), deaf()];
  await expect.poll(streams, PATIENCE).toBe(2);
  killed.resetAndDestroy();
  await expect.poll(streams, PATIENCE).toBe(1);
  await client.admin().createTopic({ topic: "orders", partitions: 1 });
  expect(await daemon.end("SIGTERM")).toMatchObject({ code: 0, stderr: "" });
});

test("a daemon whose HTTP port is taken says which setting names it, and does not start", async () => {
  const { daemon } = await kafkaWorld(["--http-port", "0"]);
  const wanted = ["--http-port", String(daemon.http?.port)];
  const ended = await runBroker(["--data", temporaryFolder(), "--port", "0", ...wanted]);
  expect(ended.code).toBe(5);
  expect(ended.stderr).toContain("another --http-port");
  expect(ended.stdout).toBe("");
  const twice = [...wanted, "--kafka-port", String(daemon.http?.port)];
  const itself = await runBroker(["--data", temporaryFolder(), "--port", "0", ...twice]);
  expect(itself.code).toBe(2);
  expect(itself.stderr).toContain("http_port and kafka_port both want port");
});
