/** One fault, at one pass of one point: the workload meets it, and what comes after is looked at. */
import assert from "node:assert/strict";
import type { FaultOrder } from "../../src/env/fault-order.ts";
import type { FaultAction } from "../../src/env/fault-point.ts";
import type { Crash } from "../../src/env/memory-nodes.ts";
import type { Random } from "../../src/env/random.ts";
import { saying } from "../crash-instants.ts";
import { lived, PLAIN } from "./chapters.ts";
import { commit, send, transact } from "./client.ts";
import { Died, FaultLife, type Start } from "./life.ts";
import type { LivedChapter } from "./passes.ts";
import { requireSound } from "./soundness.ts";

/** Longer than a transaction may last. */
const LONG_MS = 100_000;

/** With what anybody may be refused because of an error. Where nothing is refused, nothing has failed. */
const LISTED: { readonly [Action in FaultAction]: readonly string[] } = {
  error: ["STORAGE_ERROR", "BROKER_FAILED", "BROKER_NOT_AVAILABLE", "refused: unreachable"],
  crash: [],
  delay: [],
  hold: [],
};

/**
 * Lives the chapter with the fault in it. Fails when the fault does not act, when it takes more than its own operation, and when
 * somebody is refused for another reason.
 */
export async function tried(
  order: FaultOrder,
  { chapter, start, codes }: LivedChapter,
  random: Random,
): Promise<void> {
  const life = new FaultLife(start());
  const rule = life.faults.arm(order);
  await lived(chapter, life).catch((problem: unknown) => {
    if (!(problem instanceof Died)) throw problem;
  });
  rule.assertFired();
  assert.equal(life.isDead, order.action === "crash");
  life.faults.disarm();
  if (life.isDead) {
    for (const crash of crashesOf(random))
      await saying(crash.mode, () => goesOn(survivor(life.standing(), crash), crash.mode !== "kept"));
    await saying("kept until the power goes", async () => goesOn(await survivedTwice(life), true));
  } else {
    const { firstRefusal } = life;
    if (firstRefusal !== null)
      await saying("the process dies as it was refused", () =>
        goesOn(survivor(firstRefusal, { mode: "kept" }), false),
      );
    const afterwards = survivor(life.standing(), { mode: "lost" });
    await goesOn(life, false);
    await saying("the power goes after it", () => goesOn(afterwards, true));
  }
  const unlisted = [...life.codes].filter((code) => !LISTED[order.action].includes(code) && !codes.has(code));
  assert.deepEqual(unlisted, [], "somebody was refused with a code that is not listed");
}

/** The process dies, or the power goes and takes everything that it can; when more than the usual is asked for, or some of it. */
function crashesOf(random: Random): readonly Crash[] {
  const usual: readonly Crash[] = [{ mode: "kept" }, { mode: "lost" }];
  if (!process.env.MINIKAFKA_HISTORIES) return usual;
  return [...usual, { mode: random.below(2) === 0 ? "torn" : "scattered", random }];
}

/** Whoever begins a process on what another has left. */
function survivor({ disk, ...others }: Start, crash: Crash): FaultLife {
  disk.crash(crash);
  return new FaultLife({ disk, ...others });
}

/** Whoever begins when the power goes after another has begun, who relied on what only the system's memory held. */
async function survivedTwice(dead: FaultLife): Promise<FaultLife> {
  const second = survivor(dead.standing(), { mode: "kept" });
  await second.renew();
  return survivor(second.standing(), { mode: "lost" });
}

/** Everything that was acknowledged is there, and everything can be done, as if nothing had been. */
async function goesOn(life: FaultLife, powerLost: boolean): Promise<void> {
  await life.renew();
  life.clock.advance(LONG_MS);
  await life.step("end what is open", (cluster) => cluster.transactions.expire());
  await life.copied();
  await life.copied();
  await requireSound(life, powerLost);
  if ((await life.cluster()).hasTopic("plain")) {
    await send(life, PLAIN, "afterwards");
    await commit(life, "readers", 9);
    await transact(life, "afterwards", "commit", [PLAIN]);
    await life.step("flush", (cluster) => cluster.steps.flushLogs());
    await life.renew();
    await requireSound(life, false);
  }
  assert.deepEqual(life.faults.rules(), []);
}
