/**
 * Scenarios: what is done to a cluster and, under it, what it showed. Each is a lesson, and stays true. MINIKAFKA_UPDATE=1 writes
 * them anew; whoever does reads the difference, and the prose above it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { play } from "./scenario-runner/play.ts";

const FOLDER = new URL("scenarios/", import.meta.url);
const played = new Set<string>();

function scenario(name: string): () => Promise<void> {
  played.add(name);
  return async () => {
    const file = new URL(name, FOLDER);
    const text = readFileSync(file, "utf8");
    const now = await play(text);
    if (process.env.MINIKAFKA_UPDATE === "1") writeFileSync(file, now);
    else expect(now).toBe(text);
  };
}

test(
  "a record is visible once every in-sync replica has fetched beyond it, and a follower hears of that a fetch later",
  scenario("01-log-end-offset-and-high-watermark.txt"),
);
test(
  "what was acknowledged with acks=1 is lost with its leader, and with acks=all it is not",
  scenario("02-acks-1-loses-acks-all-does-not.txt"),
);
test(
  "too few in sync refuse acks=all before the append and after it, and let nothing more become visible",
  scenario("03-in-sync-replicas-shrink.txt"),
);
test(
  "an old leader keeps what its epochs have in common with the new one's, and by high watermark less",
  scenario("04-the-old-leader-returns.txt"),
);
test(
  "an offset and a time are found by the nearest entry of a sparse index and a short walk",
  scenario("05-look-ups-through-sparse-indexes.txt"),
);
test(
  "a torn tail is cut to its last whole batch, and what was flushed is there",
  scenario("06-a-torn-tail.txt"),
);
test(
  "retention takes what is old, and compaction what is outdated",
  scenario("07-retention-against-compaction.txt"),
);
test(
  "a batch that comes twice is known, a gap is refused, and an older instance is fenced",
  scenario("08-duplicate-gap-fence.txt"),
);
test(
  "behind the barrier a partition has one owner, and at once it has two who believe so",
  scenario("09-immediate-against-barrier.txt"),
);
test(
  "an open transaction holds readers of committed records up, and its marker is an offset that no record fills",
  scenario("10-the-last-stable-offset.txt"),
);
test(
  "KIP-101: a follower that restarts keeps what it had not heard to be visible",
  scenario("kip-101-a-follower-restarts.txt"),
);
test(
  "KIP-101: logs of one length that part are told apart by their epochs",
  scenario("kip-101-logs-part.txt"),
);
test("KIP-279: leaders may change faster than followers fetch", scenario("kip-279-fast-leader-changes.txt"));
test(
  "KIP-966: the last replica in sync does not lead with less than it had",
  scenario("kip-966-the-last-replica.txt"),
);
test("KIP-890: a late produce does not join the next transaction", scenario("kip-890-a-late-produce.txt"));
test(
  "KIP-447: who has lost a partition cannot commit its offsets, in a transaction either",
  scenario("kip-447-offsets-of-a-lost-partition.txt"),
);
test(
  "KIP-534: a tombstone stays for its time from the first cleaning, whatever is merged",
  scenario("kip-534-a-tombstone-and-its-time.txt"),
);
test(
  "the original's experiments hold under its profile, and Kafka's behaviour beside them",
  scenario("the-two-profiles.txt"),
);

test("every scenario of the folder is played", () => {
  expect([...played].sort()).toEqual(readdirSync(FOLDER).sort());
});
