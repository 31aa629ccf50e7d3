import { DataFolderRefused } from "@minikafka/core";
import { expect, test } from "vitest";
import { AddressUnavailable, type PortSetting } from "./connections/port.ts";
import { EXIT, refusalOf } from "./refusals.ts";

test("a refused data folder is told in its own sentence, with a hint for its reason and the exit code of refused folders", () => {
  const hintOf = (reason: DataFolderRefused["reason"]) => {
    const refusal = refusalOf(new DataFolderRefused(reason, "/data", "is so and so"));
    expect(refusal).toMatchObject({ sentence: 'the data folder "/data" is so and so' });
    expect(refusal?.exitCode).toBe(reason === "in-use" ? EXIT.dataFolderInUse : EXIT.dataFolderRefused);
    return refusal?.hint;
  };
  expect(hintOf("in-use")).toContain("stop that process");
  expect(hintOf("damaged")).toContain("restore the file");
});

test("whoever has a file in the place of one broker's folder is not told to remove the others", () => {
  const refusal = refusalOf(new DataFolderRefused("no-broker-folder", "/data", "has a file called broker-2"));
  expect(refusal?.hint).toContain("begins empty, and rejoin makes its copies anew");
  expect(refusal?.hint).not.toContain("remove the folder");
});

test.each<[PortSetting, string, RegExp]>([
  ["port", "EADDRINUSE", /^another program listens there; choose another --port /],
  ["port", "EACCES", /^choose another --host or --port$/],
  [
    "kafka_port",
    "EADDRINUSE",
    /^another program .* --kafka-port: each of the --brokers needs a port: those from N on/,
  ],
  ["kafka_port", "EACCES", /^choose another --host or --kafka-port: each of the --brokers needs a port/],
])(
  "an address that %s wanted and that cannot be listened on (%s) is told with the flag that names it",
  (setting, code, hint) => {
    const cause = Object.assign(new Error("no"), { code });
    const refusal = refusalOf(new AddressUnavailable({ host: "127.0.0.1", port: 9093, setting }, cause));
    const who = setting === "port" ? "" : ", for Kafka's clients";
    expect(refusal).toMatchObject({
      exitCode: EXIT.addressUnavailable,
      sentence: `cannot listen on 127.0.0.1:9093${who}: ${code}`,
    });
    expect(refusal?.hint).toMatch(hint);
  },
);
