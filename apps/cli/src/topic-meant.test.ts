import { expect, test } from "vitest";
import { CliError, failureOf } from "./failure.ts";
import { hintFor } from "./hints.ts";
import { withTopicMeant } from "./topic-meant.ts";

/** As the SDK throws it. */
const refused = (topic: string, code = "UNKNOWN_TOPIC") =>
  Object.assign(new Error(`there is no topic ${topic}`), { code, retriable: false, details: { topic } });

/** A broker with these topics; how often it was asked for them stands in `looks`. */
function brokerWith(...topics: string[]) {
  const admin = {
    looks: 0,
    listTopics: async () => {
      admin.looks += 1;
      return topics.map((topic) => ({ topic, partitions: 1, replicationFactor: 1 }));
    },
  };
  return admin;
}

const { signal } = new AbortController();

test("who mistypes a topic is asked whether the nearest one was meant, and not told to create it", async () => {
  const told = failureOf(await withTopicMeant(refused("oders"), brokerWith("orders", "payments"), signal));
  expect(told).toMatchObject({ code: "UNKNOWN_TOPIC", details: { topic: "oders" } });
  expect(told.message).toBe("there is no topic oders");
  expect(hintFor(told, { broker: "" })).toBe("did you mean orders? minikafka-cli topics list shows them all");
});

test("a topic that is like none that there are is told as before", async () => {
  const error = refused("nope");
  expect(await withTopicMeant(error, brokerWith("orders"), signal)).toBe(error);
});

test("topics are looked up for no other error, and not for one that this program found itself", async () => {
  const broker = brokerWith("orders");
  for (const error of [refused("oders", "UNKNOWN_PARTITION"), new CliError("UNKNOWN_TOPIC", ""), 1])
    expect(await withTopicMeant(error, broker, signal)).toBe(error);
  expect(broker.looks).toBe(0);
});

test("where no list is to be had, the error is the one that came first", async () => {
  const error = refused("oders");
  const listTopics = () => Promise.reject(new Error("the connection broke"));
  expect(await withTopicMeant(error, { listTopics }, signal)).toBe(error);
  const interrupted = brokerWith("orders");
  expect(await withTopicMeant(error, interrupted, AbortSignal.abort())).toBe(error);
  expect(interrupted.looks).toBe(0);
});
