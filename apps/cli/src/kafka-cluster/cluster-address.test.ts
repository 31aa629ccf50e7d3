import { expect, test } from "vitest";
import { clusterText, parseCluster } from "./cluster-address.ts";

test.each([
  ["kafka://one:9093,two", "kafka://one:9093,two:9092"],
  ["kafka://9093,two:9092/", "kafka://127.0.0.1:9093,two:9092"],
  ["kafka://[::1]", "kafka://[::1]:9092"],
])(
  "%s is a cluster's address: Kafka's own port where none is named, this machine where only a port is",
  (text, meant) => {
    expect(clusterText(parseCluster(text))).toBe(meant);
  },
);

test.each(["one:9092", "kafka://", "kafka://0", "kafka://me:secret@one:9092"])(
  "%s is no cluster's address",
  (text) => {
    expect(() => parseCluster(text)).toThrow(/^Expected |belong into the file/);
  },
);
