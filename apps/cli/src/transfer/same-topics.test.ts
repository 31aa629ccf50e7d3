import { expect, test } from "vitest";
import { CliError } from "../failure.ts";
import type { TopicMetadata } from "../kafka-cluster/kafka-link.ts";
import { SameTopics } from "./same-topics.ts";

/** A cluster that answers so, one after the other, and then the last for ever; with who was asked. */
function scripted(where: string, ...answers: (string | null)[]) {
  const asked: (number | undefined)[] = [];
  const metadata = async (_topics: readonly string[] | null, place: { partition: number } | null = null) => {
    asked.push(place?.partition);
    const [id, grown] = (answers.length > 1 ? answers.shift() : answers[0])?.split("+") ?? [];
    const leaders = grown === undefined ? [1, 1] : [1, 1, 1];
    return new Map<string, TopicMetadata>(id === undefined ? [] : [["orders", { topicId: id, leaders }]]);
  };
  return {
    asked,
    begun: { link: { where, metadata }, shape: { topic: "orders", topicId: "a", partitions: 2 } },
  };
}

/** Nobody waits between two looks. */
const AT_ONCE = AbortSignal.abort();

function topicsOf(source: ReturnType<typeof scripted>, target: ReturnType<typeof scripted>): SameTopics {
  return new SameTopics(source.begun, target.begun, AT_ONCE);
}

test("the same topics are found by who leads the partition", async () => {
  const source = scripted("kafka://here:1", "a");
  const target = scripted("kafka://there:1", "a");
  await topicsOf(source, target).requireBoth(1);
  expect([source.asked, target.asked]).toEqual([[1], [1]]);
});

test.each([
  [
    ["b"],
    ["a"],
    "COPY_DIFFERS",
    "orders was deleted and created again at kafka://here:1 while it was copied",
  ],
  [
    ["a"],
    ["b"],
    "COPY_DIFFERS",
    "orders was deleted and created again at kafka://there:1 while it was copied",
  ],
  [[null], ["a"], "UNKNOWN_TOPIC", "orders was deleted at kafka://here:1 while it was copied"],
  [["a"], [null], "COPY_DIFFERS", "orders was deleted at kafka://there:1 while it was copied to"],
  [
    ["a+1"],
    ["a"],
    "COPY_DIFFERS",
    "orders has grown to 3 partitions at kafka://here:1 while it was copied; it had 2",
  ],
])("a source that is now %j and a target %j end the copy as %s", async (here, there, code, message) => {
  const topics = topicsOf(scripted("kafka://here:1", ...here), scripted("kafka://there:1", ...there));
  await expect(topics.requireBoth()).rejects.toMatchObject({ code, message, hint: expect.any(String) });
});

test("a broker that does not know the topic at once is asked again", async () => {
  const source = scripted("kafka://here:1", null, null, "a");
  await topicsOf(source, scripted("kafka://there:1", "a")).requireSource();
  expect(source.asked).toHaveLength(3);
  const remade = scripted("kafka://here:1", null, "b");
  await expect(topicsOf(remade, remade).requireSource()).rejects.toMatchObject({ code: "COPY_DIFFERS" });
});

test("what fails since a topic is gone is told as that; any other failure as it is", async () => {
  const failure = (code: "UNKNOWN_TOPIC" | "TIMEOUT") => new CliError(code, "reading orders [0] failed");
  const failing = (code: "UNKNOWN_TOPIC" | "TIMEOUT") => () => Promise.reject(failure(code));
  const there = scripted("kafka://there:1", "a");
  const gone = topicsOf(scripted("kafka://here:1", null), there);
  await expect(gone.explained(failing("UNKNOWN_TOPIC"))).rejects.toThrow(
    "orders was deleted at kafka://here:1",
  );
  await expect(gone.explained(failing("TIMEOUT"))).rejects.toMatchObject({ code: "TIMEOUT" });
  const same = topicsOf(scripted("kafka://here:1", "a"), there);
  await expect(same.explained(failing("UNKNOWN_TOPIC"))).rejects.toThrow("reading orders [0] failed");
  expect(await same.explained(async () => 5)).toBe(5);
});
