/** Three brokers in one process, by the command line: step by step under a manual clock, by themselves otherwise. */
import { connect } from "@minikafka/client";
import { expect, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };
const QUIET = ["--log-level", "warn", "--brokers", "3"];

test(
  "a lesson: what a round copies, what a follower hears, and who leads after a failure",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), [...QUIET, "--clock", "manual"]);
    const said = (...arguments_: string[]) => output(broker, arguments_);
    await said("topics", "create", "orders", "-p", "1", "-r", "3");
    await said("produce", "orders", "-v", "a");
    expect(await said("replicas", "orders")).toMatch(/^0 +0 +1 +leader +1 +0 +yes +yes +-$/m);
    expect(await said("step", "replicate", "orders")).toMatch(/^orders +0 +2 +1 +\d+ +-$/m);
    expect(await said("replicas", "orders")).toMatch(/^0 +0 +3 +follower +1 +0 +yes +yes +\d{4}-\S+Z$/m);
    await said("step", "replicate");
    expect(await said("replicas", "orders")).toMatch(/^0 +0 +3 +follower +1 +1 +yes +yes +\d{4}-\S+Z$/m);

    expect(await said("broker", "stop", "1")).toBe("stopped broker 1 cleanly\n");
    const refused = await command(broker, ["produce", "orders", "-v", "b", "--timeout", "1s"]);
    expect(refused.stderr).toContain("LEADER_NOT_AVAILABLE");
    const unled = await command(broker, ["replicas", "orders"]);
    expect(unled.stderr).toContain("% orders [0]: nobody leads it");
    expect(unled.stderr).toContain("% orders [0] replica 1: broker 1 is stopped\n");
    expect(unled.stdout).toMatch(/^0 +0 +1 +follower +- +- +yes +no +-$/m);
    expect(unled.stdout).toMatch(/^0 +0 +2 +follower +1 +1 +yes +yes/m);
    expect(await said("promote", "orders", "2")).toBe("orders [0]: leader 2, epoch 1, in sync 2,3\n");
    await said("produce", "orders", "-v", "b");
    await said("step", "replicate");
    expect(await said("fetch", "orders", "-e")).toBe("a\nb\n");
    expect(await said("broker", "start", "1")).toBe("started broker 1, which had ended cleanly\n");
    expect(await said("rejoin", "orders", "1")).toBe("orders [0]: replica 1 in sync, batches copied 1\n");
    expect(await said("log", "dump", "orders", "-p", "0", "--replica", "1")).toMatch(/epoch:? 1/i);
    expect(await said("remove-from-isr", "orders", "3")).toBe("orders [0]: in sync 1,2\n");
    expect(await said("step", "isr")).toBe("");
    expect(await said("replicas", "orders")).toMatch(/^0 +1 +3 +follower .* held-out +yes/m);
    expect(jsonLines(await said("replicas", "orders", "-p", "0", "-J"))).toMatchObject([
      { topic: "orders", partitions: [{ leader_id: 2, isr: [1, 2], replicas: [{ broker_id: 1 }, {}, {}] }] },
    ]);
  },
);

test(
  "who keeps a tombstone in the log after its time is named by the step that would drop it",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), [...QUIET, "--clock", "manual"]);
    const said = (...arguments_: string[]) => output(broker, arguments_);
    const settings = ["cleanup_policy=compact", "min_cleanable_dirty_ratio=0", "delete_retention_ms=0"];
    await said("topics", "create", "profiles", "-r", "3", ...settings.flatMap((setting) => ["-c", setting]));
    await said("remove-from-isr", "profiles", "3");
    await said("produce", "profiles", "-k", "alice", "-v", "1");
    await said("produce", "profiles", "-k", "alice", "-v", "", "-Z");
    await said("step", "replicate", "profiles", "--replica", "2");
    await said("step", "roll", "profiles");
    await said("step", "flush");
    await said("step", "compact");
    const { stderr } = await command(broker, ["step", "compact"]);
    expect(stderr).toContain("% profiles [0] on broker 1 keeps tombstones or markers whose time is over");
    expect(stderr).toContain("(brokers 3)");
    await said("step", "replicate");
    await said("step", "flush");
    expect(await said("step", "compact")).toMatch(/^profiles +0 +1 +1->1 +\d+->\d+ +0 +1 +2$/m);
  },
);

test(
  "acks all over three brokers survives kill -9, and every replica has it afterwards",
  MINUTE,
  async () => {
    const folder = temporaryFolder();
    const first = await startDaemon(folder, QUIET);
    await output(first, ["topics", "create", "orders", "-p", "3", "-r", "3", "-c", "min_insync_replicas=2"]);
    const client = await connect({ broker: `127.0.0.1:${first.port}` });
    const producer = client.producer({ acks: "all", lingerMs: 0 });
    const sent = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        producer.send({ topic: "orders", partition: n % 3, value: `${n}` }),
      ),
    );
    expect(sent).toHaveLength(300);
    await client.close();
    await first.end("SIGKILL");
    const second = await startDaemon(folder, QUIET);
    const again = await connect({ broker: `127.0.0.1:${second.port}` });
    const admin = again.admin();
    for (const partition of [0, 1, 2]) {
      const place = { topic: "orders", partition };
      for (;;) {
        const { replicas, isr } = await admin.describePartition(place);
        if (isr.length === 3) {
          expect(replicas.map(({ logEndOffset }) => logEndOffset)).toEqual([100, 100, 100]);
          break;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await again.close();
  },
);
