/** `metrics` beside a broker of this process that tells them, and beside what does not. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startBroker } from "@minikafka/testing";
import { expect, onTestFinished, test } from "vitest";
import { command } from "./support/cli.ts";

async function started(http: boolean) {
  const broker = await startBroker({ kafka: false, http, topics: { orders: 2 }, settings: { port: 0 } });
  onTestFinished(() => broker.close());
  await broker.client.producer().send({ topic: "orders", partition: 1, value: "a" });
  return broker;
}

/** An HTTP server that answers everything so. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("metrics are a table, a document, or the lines as they came; names choose, whole or by how they begin", async () => {
  const broker = await started(true);
  const { host, port } = broker.httpAddress;
  const metrics = async (...options: string[]) => {
    const { code, stdout, stderr } = await command(broker.address, [
      "metrics",
      "--http",
      `${host}:${port}`,
      ...options,
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  expect(await metrics("kafka_topic_partition_current_offset", "kafka_topic_partitions")).toBe(
    [
      "METRIC                                VALUE  LABELS",
      "kafka_topic_partitions                2      topic=orders",
      "kafka_topic_partition_current_offset  0      topic=orders,partition=0",
      "kafka_topic_partition_current_offset  1      topic=orders,partition=1",
      "",
    ].join("\n"),
  );
  expect(JSON.parse(await metrics("kafka_brokers", "-J"))).toEqual({
    metrics: [
      {
        name: "kafka_brokers",
        type: "gauge",
        help: "Brokers of the cluster, stopped ones included.",
        samples: [{ suffix: "", labels: {}, value: 1 }],
      },
    ],
  });
  expect(await metrics("kafka_brokers", "--prom")).toBe(
    "# HELP kafka_brokers Brokers of the cluster, stopped ones included.\n# TYPE kafka_brokers gauge\nkafka_brokers 1\n",
  );
  const page = await (await fetch(`http://${host}:${port}/metrics`)).text();
  const names = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names(await metrics("--prom"))).toEqual(names(page));
});

test("names of which nothing is told are told with what was meant, after what is there; an empty one is refused", async () => {
  const broker = await started(true);
  const { host, port } = broker.httpAddress;
  const asked = ["kafka_brokes", "kafka_topic_partitions"];
  const unknown = await command(broker.address, ["metrics", ...asked, "--http", `${host}:${port}`]);
  expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([
    3,
    expect.stringMatching(/^METRIC .*\nkafka_topic_partitions +2 +topic=orders\n$/),
    expect.stringMatching(/^error: NOT_FOUND: .*\nhint: did you mean kafka_brokers\?\n$/),
  ]);
  const several = await command(broker.address, [
    "metrics",
    "nope",
    "kafka_brokes",
    "--http",
    `${host}:${port}`,
  ]);
  expect(several.stderr).toMatch(
    /^error: NOT_FOUND: .* is called nope or kafka_brokes, .*\nhint: did you mean kafka_brokers\?\n$/,
  );
  const empty = await command(broker.address, ["metrics", "", "--http", `${host}:${port}`]);
  expect([empty.code, empty.stdout, empty.stderr]).toEqual([
    2,
    "",
    expect.stringContaining("a name is empty"),
  ]);
  const nothing = await command(broker.address, ["metrics", "nope", "--http", `${host}:${port}`]);
  expect(nothing.stdout).toBe("");
  expect(nothing.stderr).toContain(`hint: minikafka-cli metrics --http ${host}:${port} lists what is told`);
});

test("the broker is asked where it tells them; one that does not is told of, with how to start one that does", async () => {
  const told = await command((await started(true)).address, ["metrics", "kafka_brokers", "--prom"]);
  expect([told.code, told.stderr]).toEqual([0, ""]);
  expect(told.stdout).toContain("kafka_brokers 1\n");
  const { address } = await started(false);
  const { code, stdout, stderr } = await command(address, ["metrics"]);
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(
    /^error: NOT_FOUND: the broker at 127\.0\.0\.1:\d+ has no HTTP port, .*\nhint: start it with one, .* --http-port 9193;/,
  );
});

test("where no metrics are told it is said so, and how a broker tells them", async () => {
  const broker = await started(false);
  const of = async (http: string, ...options: string[]) => {
    const { code, stdout, stderr } = await command(broker.address, ["metrics", "--http", http, ...options]);
    expect(stdout).toBe("");
    return { code, stderr };
  };
  expect(await of("127.0.0.1:1")).toEqual({
    code: 7,
    stderr: expect.stringMatching(
      /^error: CONNECTION: no metrics from 127\.0\.0\.1:1: .*\nhint: .*--http-port/,
    ),
  });
  const json = await of(`127.0.0.1:${broker.address.port}`, "--timeout", "2s");
  expect([json.code, json.stderr]).toEqual([7, expect.stringContaining("does not speak HTTP")]);
  expect(await of(await answering(200, "<html>"))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("INVALID_ANSWER"),
  });
  expect(await of(await answering(404, "nothing"))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("answered with 404"),
  });
  const refusing = await answering(503, '{"error":{"code":"NOT_READY","message":"the broker stops"}}');
  const refused = await of(refusing, "-J");
  expect(JSON.parse(refused.stderr)).toMatchObject({
    error: { code: "NOT_READY", retriable: true, message: "the broker stops" },
  });
});

test("what takes the question and never answers is a time-out, not for ever", async () => {
  const broker = await started(false);
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const http = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await command(broker.address, ["metrics", "--http", http, "--timeout", "200ms"]);
  expect([code, stderr]).toEqual([4, expect.stringContaining(`${http} has not answered within 200 ms`)]);
});
