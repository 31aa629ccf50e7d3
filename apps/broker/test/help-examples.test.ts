/** The examples in the help of `minikafka-broker`: each starts the broker that it shows. Only ports are free ones, and the disk is memory. */
import { MemoryDisk } from "@minikafka/core/testing";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { program, sourcesOf } from "../src/command-line.ts";
import { resolveSettings } from "../src/config.ts";
import { type Broker, startBroker } from "../src/daemon.ts";
import { Session } from "./support/broker.ts";

function examples(): string[] {
  let help = "";
  const writeOut = (text: string) => {
    help += text;
  };
  program().configureOutput({ writeOut }).outputHelp();
  const [, below = ""] = help.split("\nExamples:\n");
  return (below.split("\n\n")[0] ?? "").split("\n").map((line) => line.trim());
}

async function started(line: string): Promise<Broker> {
  const [name, ...flags] = line.replaceAll(/(port) \d+/g, "$1 0").split(" ");
  expect(name).toBe("minikafka-broker");
  const own = flags.includes("--port") ? [] : ["--port", "0"];
  const settings = resolveSettings(sourcesOf(program().parse([...flags, ...own], { from: "user" }), {}));
  const log = pino({ level: "silent" });
  const broker = await startBroker({ settings, disk: new MemoryDisk(), log });
  onTestFinished(() => broker.close());
  return broker;
}

/** What each is there to show. */
const SHOWN: { readonly [line: string]: (broker: Broker) => Promise<void> | void } = {
  "minikafka-broker --data ./data": ({ settings }) => expect(settings.data).toBe("./data"),
  "minikafka-broker --data ./data --port 0 --log-level warn": ({ address, settings }) => {
    expect(address?.port).toBeGreaterThan(0);
    expect(settings.log_level).toBe("warn");
  },
  "minikafka-broker --data ./data --brokers 3 --kafka-port 9092": ({ kafkaAddresses }) =>
    expect(kafkaAddresses).toHaveLength(3),
  "minikafka-broker --data ./data --http-port 9193": async ({ httpAddress }) => {
    const { status } = await fetch(`http://127.0.0.1:${httpAddress?.port}/readyz`);
    expect(status).toBe(200);
  },
  "minikafka-broker --data ./lab --clock manual --start-time 1700000000000": async (broker) =>
    expect(await Session.open(broker).ask({ operation: "clock" })).toMatchObject({
      now_ms: 1_700_000_000_000,
    }),
};

test("every example that help shows is started here", () => {
  expect(examples()).toEqual(Object.keys(SHOWN));
});

test.each(Object.entries(SHOWN))("%s starts the broker that it shows", async (line, look) => {
  const broker = await started(line);
  expect(await Session.open(broker).ask({ operation: "ping" })).toMatchObject({ ok: true });
  await look(broker);
});
