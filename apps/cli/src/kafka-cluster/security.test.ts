import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSecurity } from "./security.ts";

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "client.properties");
  writeFileSync(path, text);
  return path;
}

test("a file for Kafka's own tools is taken as it is", () => {
  const jaas =
    'org.apache.kafka.common.security.scram.ScramLoginModule required username="ann" password="a \\"b";';
  const text = `# of the cluster\nsecurity.protocol=SASL_SSL\nsasl.mechanism = SCRAM-SHA-512\n\nsasl.jaas.config=${jaas}\n`;
  expect(readSecurity(file(text))).toEqual({
    tls: {},
    sasl: { mechanism: "SCRAM-SHA-512", username: "ann", password: 'a "b' },
  });
});

test.each([
  ["security.protocol=SSL", { tls: {} }],
  ["security.protocol=PLAINTEXT", {}],
  ["", {}],
  [
    "security.protocol=SASL_PLAINTEXT\nsasl.username=ann\nsasl.password=x=y",
    { sasl: { mechanism: "PLAIN", username: "ann", password: "x=y" } },
  ],
])("%j says how to speak", (text, expected) => {
  expect(readSecurity(file(text))).toEqual(expected);
});

test.each([
  ["security.protocol=TLS", "expected PLAINTEXT, SSL"],
  ["ssl.keystore.location=/k", "ssl.keystore.location is not known here"],
  ["security.protocol=SASL_SSL\nsasl.mechanism=GSSAPI", "sasl.mechanism is GSSAPI"],
  ["security.protocol=SASL_SSL", "sasl.username and sasl.password are missing"],
])("%j is refused, and nothing is sent in the clear instead", (text, message) => {
  expect(() => readSecurity(file(text))).toThrow(expect.objectContaining({ code: "USAGE" }));
  expect(() => readSecurity(file(text))).toThrow(message);
});

test("a file that is not there is named", () => {
  expect(() => readSecurity("/nowhere/client.properties")).toThrow(/--kafka-config: ENOENT/);
});
