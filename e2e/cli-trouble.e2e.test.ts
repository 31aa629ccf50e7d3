/** What the command line says when something is in the way: it names the cause, and what can be done is done. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command, output } from "./support/cli.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };
const QUIET = ["--log-level", "error"];
const THREE = [...QUIET, "--brokers", "3"];

test("a damaged partition keeps nobody from the records of the others", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), [...QUIET, "--clock", "manual"]);
  await output(broker, ["topics", "create", "logs", "-p", "2"]);
  for (const partition of ["0", "1"]) {
    await output(broker, ["produce", "logs", "-p", partition, "-v", `of ${partition}`]);
    await output(broker, ["step", "roll", "logs", "-p", partition]);
  }
  await output(broker, ["step", "flush"]);
  const folder = join(broker.data, "broker-1", "logs-1");
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith("0000.log")) ?? "");
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(file, bytes);

  const all = await command(broker, ["fetch", "logs", "-e"]);
  expect(all).toMatchObject({ code: 6, stdout: "of 0\n" });
  expect(all.stderr).toContain("% logs [1] cannot be read (STORAGE_ERROR); reading the others");
  expect(all.stderr).toMatch(/^error: STORAGE_ERROR: /m);
  expect(all.stderr).toMatch(/^hint: minikafka-cli log verify \S+logs-1 tells what is damaged/m);
  expect(all.stderr).not.toContain("restart");
  const one = await command(broker, ["fetch", "logs", "-p", "1", "-e"]);
  expect(one).toMatchObject({ code: 6, stdout: "" });
});

test("a partition without a leader keeps nobody from the records of the others", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), [...QUIET, "--brokers", "2"]);
  await output(broker, ["topics", "create", "logs", "-p", "2"]);
  await output(broker, ["produce", "logs", "-p", "0", "-v", "of 0"]);
  await output(broker, ["produce", "logs", "-p", "1", "-v", "of 1"]);
  await output(broker, ["broker", "stop", "2"]);
  const all = await command(broker, ["fetch", "logs", "-e"]);
  expect(all).toMatchObject({ code: 5, stdout: "of 0\n" });
  expect(all.stderr).toContain("error: LEADER_NOT_AVAILABLE: ");
});

test("who waits for a leader is told so while waiting", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), THREE);
  await output(broker, ["topics", "create", "orders", "-r", "3"]);
  await output(broker, ["broker", "stop", "1"]);
  const refused = await command(broker, ["produce", "orders", "-v", "a", "--timeout", "2s"]);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain("% orders-0 has no leader; waiting for up to 2 s\n");
  expect(refused.stderr).toContain("error: LEADER_NOT_AVAILABLE: ");
});

test("under a manual clock who waits for all is told of the step that is missing", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), [...THREE, "--clock", "manual"]);
  await output(broker, ["topics", "create", "orders", "-r", "3"]);
  const open = await command(broker, [
    "produce",
    "orders",
    "-v",
    "a",
    "--acks",
    "all",
    "--timeout",
    "1500ms",
  ]);
  expect(open.code).toBe(4);
  expect(open.stderr).toMatch(/^% under the manual clock .*minikafka-cli step replicate orders/m);
  expect(open.stderr).toMatch(/within \d+ ms/);
  expect(open.stderr).toMatch(/^hint: the outcome is open.*minikafka-cli step replicate orders/m);
});

test("retention that waits for a record of the future says so, and shows its time", MINUTE, async () => {
  const manual = ["--clock", "manual", "--start-time", "1700000000000"];
  const broker = await startDaemon(temporaryFolder(), [...QUIET, ...manual]);
  await output(broker, ["topics", "create", "orders", "-c", "retention_ms=1000"]);
  await output(broker, ["topics", "create", "timed", "-c", "message_timestamp_type=LogAppendTime"]);
  await output(broker, ["produce", "orders", "-v", "a"]);
  await output(broker, ["produce", "timed", "-v", "a"]);
  expect(await output(broker, ["describe", "timed", "-p", "0"])).toMatch(
    /^0 +1 +\d+ +2023-11-14T22:13:20.000Z +yes$/m,
  );
  const held = await command(broker, ["step", "retention", "orders"]);
  expect(held.code).toBe(0);
  expect(held.stderr).toMatch(/^% orders \[0\] holds a record of 20.*clock says 2023-11-14T22:13:20.000Z/m);
  expect((await command(broker, ["step", "retention", "timed"])).stderr).not.toContain("holds a record of");
});

test(
  "several topics are deleted up to the one that is not there, or past it when that is welcome",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), QUIET);
    await output(broker, ["topics", "create", "a", "b", "c"]);
    const refused = await command(broker, ["topics", "delete", "a", "nowhere", "b"]);
    expect(refused).toMatchObject({ code: 3, stdout: "deleted topic a\n" });
    expect(refused.stderr).toMatch(/^hint: .*--if-exists/m);
    expect(refused.stderr).not.toContain("topics create");
    expect(await output(broker, ["topics", "delete", "a", "b", "--if-exists"])).toBe(
      "there is no topic a\ndeleted topic b\n",
    );
    const many = await command(broker, ["topics", "create", "d", "-r", "3"]);
    expect(many.stderr).toMatch(/^hint: .*--brokers/m);
    const alike = await command(broker, ["topics", "create", "C"]);
    expect(alike.stderr).toMatch(/^hint: choose another name, or go on with c$/m);
  },
);

test("what was altered is shown and nothing else, and so are a topic's own settings", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), QUIET);
  await output(broker, ["topics", "create", "orders", "-c", "segment_ms=2h"]);
  const altered = await output(broker, ["topics", "alter", "orders", "-c", "retention.ms=1h"]);
  expect(altered.split("\n")).toHaveLength(3);
  expect(altered).toMatch(/^retention_ms +3600000 +topic/m);
  const own = await output(broker, ["topics", "config", "orders", "--overrides"]);
  expect(own).toMatch(/^segment_ms +7200000 +topic/m);
  expect(own.split("\n")).toHaveLength(4);
});

test("a producer keeps its name from one run to the next", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), QUIET);
  await output(broker, ["topics", "create", "orders"]);
  for (const value of ["a", "b"])
    await output(broker, ["produce", "orders", "-v", value, "--idempotent", "--name", "till"]);
  expect(await output(broker, ["describe", "orders", "-p", "0"])).toMatch(/^\d+ +1 +0 +1 +\d{4}-\S+Z$/m);
});
