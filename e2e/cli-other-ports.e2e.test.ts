/** The command line at a port that speaks another protocol: every command says so, and which port was meant. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startBroker } from "@minikafka/testing";
import { expect, onTestFinished, test } from "vitest";
import { command } from "./support/cli.ts";

const MINUTE = { timeout: 60_000 };

/** Of each way in which a command connects. */
const COMMANDS: readonly (readonly string[])[] = [
  ["ping"],
  ["check"],
  ["topics", "list"],
  ["produce", "orders", "-v", "paid"],
  ["fetch", "orders"],
  ["consume", "orders", "-g", "billing"],
  ["watch"],
  ["raw", '{"operation":"ping"}'],
];

test.each(["HTTP", "Kafka"])(
  "every command at a broker's port for %s says that lines of JSON are taken elsewhere, and where",
  MINUTE,
  async (protocol) => {
    const broker = await startBroker({ http: true });
    onTestFinished(() => broker.close());
    const [kafka = ""] = broker.bootstrapBrokers;
    const { httpAddress, address } = broker;
    const port = protocol === "HTTP" ? httpAddress.port : Number(kafka.split(":")[1]);
    const meant = `127.0.0.1:${address.port}`;
    for (const words of COMMANDS) {
      const { code, stdout, stderr } = await command({ port }, [...words]);
      const said = `${stdout}${stderr}`;
      expect(said, words[0]).toMatch(
        /INVALID_REQUEST.*this port (?:of broker 1 )?is for (?:HTTP|Kafka's clients)/,
      );
      expect(said, words[0]).toContain(`lines of JSON are taken at ${meant}`);
      if (!["check", "raw"].includes(words[0] ?? ""))
        expect(stderr).toContain(`\nhint: -b ${meant} is this broker's port`);
      // A monitor's plugin does not know.
      expect(code, words[0]).toBe(words[0] === "check" ? 3 : 2);
    }
  },
);

test("every command at somebody else's HTTP server says that it is one", MINUTE, async () => {
  const server = createServer((_request, response) => response.end("hello"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  for (const words of COMMANDS) {
    const { code, stdout, stderr } = await command({ port }, [...words]);
    expect(`${stdout}${stderr}`, words[0]).toMatch(/INVALID_ANSWER: .*it begins "HTTP\/1\.1 400/);
    if (words[0] !== "check")
      expect(stderr).toMatch(/\nhint: an HTTP server listens at .*9192 by default\n$/);
    expect(code, words[0]).toBe(words[0] === "check" ? 3 : 1);
  }
});
