import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOwnState, type StateEnd } from "./own-state.ts";

const HEAD = JSON.stringify({
  minikafka_transfer: 1,
  source: { cluster_id: "here-id", topic: "orders", topic_id: "1" },
  target: { cluster_id: "there-id", topic: "copies", topic_id: "2" },
});
const SOURCE: StateEnd = { cluster_id: "here-id", topic: "orders", where: "kafka://here:1" };
const TARGET: StateEnd = { cluster_id: "there-id", topic: "copies", where: "kafka://there:1" };

function stateFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "orders~copies.jsonl");
  writeFileSync(file, `${HEAD}\n`);
  return file;
}

test("a state is read by the transfer that it is of", () => {
  const file = stateFile();
  expect(readOwnState(file, SOURCE, TARGET)?.lines).toEqual([]);
  expect(readOwnState(`${file}.not`, SOURCE, TARGET)).toBeNull();
});

test.each([
  [
    "target cluster",
    SOURCE,
    { ...TARGET, cluster_id: "C", where: "kafka://c:1" },
    "a copy to the cluster there-id; kafka://c:1 is the cluster C",
  ],
  [
    "source cluster",
    { ...SOURCE, cluster_id: "C", where: "kafka://c:1" },
    TARGET,
    "a copy of the cluster here-id; kafka://c:1 is the cluster C",
  ],
  [
    "source topic",
    { ...SOURCE, topic: "orders_as_copies" },
    TARGET,
    "a copy of the topic orders; expected orders_as_copies",
  ],
  ["target topic", SOURCE, { ...TARGET, topic: "Copies" }, "a copy to the topic copies; expected Copies"],
])(
  "that of another %s is refused for what it is, and nobody is told to remove it",
  (_what, source, target, why) => {
    const file = stateFile();
    const read = () => readOwnState(file, source, target);
    expect(read).toThrow(
      expect.objectContaining({ code: "COPY_DIFFERS", hint: expect.stringMatching(/^keep it/) }),
    );
    expect(read).toThrow(`${file} is the state of ${why}`);
    expect(readFileSync(file, "utf8")).toBe(`${HEAD}\n`);
  },
);
