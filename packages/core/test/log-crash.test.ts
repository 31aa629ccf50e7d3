/**
 * The world ends between any two changes of the disk: while a log is made, appended to, rolled, flushed, closed, opened, cut
 * at either end, and while what an earlier end left is being recovered. What was not synced is kept, lost, torn or
 * scattered. Afterwards the log is a prefix of what was written, holds at least what was flushed, begins where it was said
 * to begin, has no file too many, and goes on as if nothing had been.
 */
import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { SeededRandom } from "../src/env/random.ts";
import { expectSurvivalEverywhere, type Step } from "./crash-explorer.ts";
import { seedFromEnvironment } from "./log-world.ts";

const append =
  (records = 1, valueBytes = 20): Step =>
  async (life) =>
    life.append(records, valueBytes);
const flush: Step = async ({ log }) => log.flush();
const close: Step = (life) => life.close();
const kill: Step = async (life) => life.kill();
/** Appends while a sync is under way. */
const flushMeanwhile: Step = async (life) => {
  const flushed = life.log.flush();
  for (let turn = 0; turn < 4; turn++) {
    await Promise.resolve();
    life.append(1, 120);
  }
  await flushed;
};

/** A sync fails, of a file or of the folder, and the broker is restarted. */
const failedFlush =
  (operation: "sync" | "syncFolder"): Step =>
  async (life) => {
    const { log } = life;
    life.disk.fail({ operation, code: "EIO" });
    const flushed = log.flush();
    await assert.rejects(flushed, { code: "BROKER_FAILED" });
    life.kill();
  };

const roll: Step = async ({ log }) => {
  log.roll();
};
const truncateTo =
  (offset: number): Step =>
  (life) =>
    life.truncateTo(offset);
const restartAt =
  (offset: number): Step =>
  (life) =>
    life.restartAt(offset);
const deleteRecords =
  (offset: number): Step =>
  (life) =>
    life.deleteRecords(offset);
/** Batches that the next retention takes, in segments of their own. */
const appendOld: Step = async (life) => {
  life.append(2, 250, 10);
  life.append(1, 400, 20);
};
const applyRetention: Step = (life) => life.applyRetention(10_500);

/** Somewhere in the log, by chance. */
const anywhere =
  (random: SeededRandom, act: (offset: number) => Step): Step =>
  async (life) => {
    const { logStartOffset, logEndOffset } = life.log;
    await act(logStartOffset + random.below(logEndOffset - logStartOffset + 1))(life);
  };

/** What a log goes through in a long life, in parts, since each instant costs as much as the log has grown until then. */
const LIVES: { readonly [what: string]: readonly Step[] } = {
  "flushes and rolls": [
    append(),
    append(3, 40),
    flush,
    append(2, 100),
    append(1, 300),
    append(2, 90),
    flush,
    append(),
    append(1, 900),
    append(),
  ],
  "a kill, and appends during a flush": [
    append(2, 250),
    append(2, 90),
    kill,
    append(),
    flushMeanwhile,
    append(2, 200),
    append(),
  ],
  "clean ends": [append(2, 250), append(1, 300), close, append(), close, append(2, 250), append(), close],
  "a failed sync of a file": [
    append(),
    close,
    append(2, 250),
    append(2, 250),
    failedFlush("sync"),
    append(),
    flush,
  ],
  "a failed sync of the folder": [
    append(),
    flush,
    append(2, 250),
    append(2, 250),
    failedFlush("syncFolder"),
    append(),
    flush,
    close,
  ],
};

/** 3 values and 3 values, flushed and sealed; then 4, of which 2 are. */
const FILLED: readonly Step[] = [
  append(3, 150),
  append(3, 150),
  flush,
  append(2, 150),
  flush,
  append(2, 150),
];

const CUTS: { readonly [what: string]: readonly Step[] } = {
  "a truncation of what was not flushed": [...FILLED, truncateTo(9), append(), flush],
  "a truncation of what was flushed": [...FILLED, flush, truncateTo(7), append(1, 60), append(), flush],
  "a truncation of several segments": [...FILLED, flush, truncateTo(4), append(3, 150), append(), close],
  "a truncation of everything": [...FILLED, flush, truncateTo(0), append(2, 150), kill, append(), flush],
  "a truncation after a clean end": [...FILLED, close, truncateTo(5), append(2, 30), append(1, 90), flush],
  "a truncation after a kill": [...FILLED, kill, truncateTo(7), append(2, 150), append(1, 90), flush],
  "a new beginning further on": [...FILLED, restartAt(20), append(), append(2, 400), append(1, 300), flush],
  "a new beginning at the end": [...FILLED, flush, restartAt(10), append(2, 400), append(), close],
  "a new beginning further back": [...FILLED, flush, restartAt(2), append(3, 150), append(3, 150), flush],
  "a new beginning of an empty log": [restartAt(7), append(), kill, restartAt(3), append(2), flush],
  "deleted records": [
    ...FILLED,
    deleteRecords(4),
    append(),
    deleteRecords(7),
    deleteRecords(11),
    append(),
    flush,
  ],
  "deleted records after a kill": [...FILLED, kill, deleteRecords(8), append(), close, deleteRecords(11)],
  "retention of a part": [appendOld, append(1, 300), append(1, 300), applyRetention, append(), flush, close],
  "retention of everything": [appendOld, applyRetention, append(), flush, kill, append(2, 300), flush],
  "a roll on request": [append(), roll, append(), roll, flush, append(), roll, kill, append(), close],
  "a cut at both ends": [
    ...FILLED,
    deleteRecords(5),
    truncateTo(5),
    append(2, 80),
    flush,
    truncateTo(6),
    close,
  ],
};

const CHOICES: readonly Step[] = [
  append(),
  append(1, 70),
  append(3, 60),
  append(1, 400),
  append(2, 280),
  append(1, 800),
  flush,
  flush,
  flushMeanwhile,
  close,
  kill,
  async (life) => {
    life.append(1, 30);
    await failedFlush("sync")(life);
  },
];

test.each(Object.keys(CUTS))(
  "a crash before any change of %s leaves the log as it was or as it was to be",
  async (what) => {
    const instants = await expectSurvivalEverywhere(CUTS[what] ?? [], seedFromEnvironment(1));
    expect(instants).toBeGreaterThan(20);
  },
  120_000,
);

test.each(Object.keys(LIVES))(
  "a crash before any change of %s leaves a prefix that holds what was flushed",
  async (what) => {
    const instants = await expectSurvivalEverywhere(LIVES[what] ?? [], seedFromEnvironment(1));
    expect(instants).toBeGreaterThan(20);
  },
  120_000,
);

test("so does a crash in lives that chance has drawn", async () => {
  const first = seedFromEnvironment(100);
  for (let seed = first; seed < first + 2; seed++) {
    const random = new SeededRandom(seed);
    const choices = [
      ...CHOICES,
      roll,
      appendOld,
      applyRetention,
      anywhere(random, truncateTo),
      anywhere(random, truncateTo),
      anywhere(random, deleteRecords),
      anywhere(random, restartAt),
    ];
    const steps = Array.from({ length: 14 }, () => choices[random.below(choices.length)] ?? flush);
    await expectSurvivalEverywhere([append(), ...steps], seed);
  }
}, 120_000);
