/** What would be deleted is told by `--dry-run`, and is there afterwards; what it says is what the deletion then does. */
import { expect, test } from "vitest";
import { type Broker, command, jsonLines, output } from "./support/cli.ts";
import { temporaryFolder } from "./support/daemon.ts";
import { startStated } from "./support/stated-broker.ts";

async function brokerWithRecords(): Promise<Broker> {
  const at = await startStated("minikafka-broker --data ./data", temporaryFolder());
  await output(at, ["topics", "create", "orders", "-p", "2"]);
  await output(at, ["produce", "orders", "-p", "0"], "a\nb\nc\n");
  await output(at, ["consume", "orders", "-g", "billing", "-e", "-q"]);
  return at;
}

const orders = ["topics", "trim", "orders", "-p", "0", "--before"];

test("a dry run tells what a deletion would take, and takes nothing", async () => {
  const at = await brokerWithRecords();
  const before = await output(at, ["topics", "describe", "orders"]);
  const told = async (...words: string[]) => output(at, [...words, "--dry-run"]);
  expect(await told(...orders, "2")).toBe("would delete offsets 0 to 1 of orders [0]\n");
  expect(await told(...orders, "end")).toBe("would delete offsets 0 to 2 of orders [0]\n");
  expect(await told(...orders, "0")).toBe("orders [0] begins at offset 0: nothing would be deleted\n");
  expect(await told("topics", "delete", "orders")).toBe(
    "would delete topic orders: 2 partitions, 3 offsets\n",
  );
  expect(await told("groups", "delete", "billing")).toBe("would delete group billing: 2 committed offsets\n");
  expect(await told("topics", "delete", "nobody", "--if-exists")).toBe("there is no topic nobody\n");
  expect(await output(at, ["topics", "describe", "orders"])).toBe(before);
  expect(await output(at, ["groups", "list"])).toContain("billing");
});

test("with -J it says so, and how much", async () => {
  const at = await brokerWithRecords();
  const document = async (...words: string[]) =>
    jsonLines(await output(at, [...words, "--dry-run", "-J"]))[0];
  expect(await document(...orders, "2")).toEqual({
    topic: "orders",
    partition: 0,
    dry_run: true,
    log_start_offset: 2,
    offsets: 2,
  });
  expect(await document("topics", "delete", "orders")).toEqual({
    topic: "orders",
    deleted: false,
    dry_run: true,
    partitions: 2,
    offsets: 3,
    unread: 0,
  });
  expect(await document("groups", "delete", "billing")).toMatchObject({ group_id: "billing", dry_run: true });
});

test("what is refused, and what is not there, is told by the dry run with the same exit code", async () => {
  const at = await brokerWithRecords();
  await output(at, ["topics", "create", "profiles", "-c", "cleanup_policy=compact"]);
  for (const words of [
    [...orders, "9"],
    ["topics", "trim", "profiles", "-p", "0", "--before", "end"],
    ["topics", "trim", "orders", "-p", "7", "--before", "end"],
    ["topics", "delete", "nobody"],
    ["groups", "delete", "nobody"],
  ]) {
    const dry = await command(at, [...words, "--dry-run"]);
    const wet = await command(at, words);
    expect([words, dry.code, dry.stderr.split(" ")[1]]).toEqual([words, wet.code, wet.stderr.split(" ")[1]]);
    expect(dry.code).not.toBe(0);
  }
});
