/** What runs are about: each focus comes up, and has what it takes. */
import { describe, expect, it } from "vitest";
import { drawScript } from "../src/script/draw-script.ts";
import { drawShape } from "../src/shape/draw-shape.ts";
import { FOCUSED } from "../src/shape/focus.ts";

const SHAPES = Array.from({ length: 400 }, (_, index) => ({ seed: index + 1, shape: drawShape(index + 1) }));

function about(focus: string) {
  return SHAPES.filter(({ shape }) => shape.focus === focus);
}

describe("what a run is about", () => {
  it("is each thing in some run among many, and everything in most of them", () => {
    for (const focus of Object.keys(FOCUSED)) expect(about(focus).length, focus).toBeGreaterThan(0);
    expect(about("everything").length).toBeGreaterThan(SHAPES.length / 3);
  });

  it("finds a log that is compacted where it is about the upkeep of logs, and a process that ends behind a flush", () => {
    const runs = about("upkeep");
    for (const { seed, shape } of runs)
      expect(
        shape.topics.some(({ config }) => config.cleanup_policy === "compact"),
        `seed ${seed}`,
      ).toBe(true);
    const acts = runs.flatMap(({ seed, shape }) => drawScript(seed, shape));
    expect(acts.some((act) => act.kind === "restart" && act.flushes)).toBe(true);
  });

  it("finds brokers to lose a marker with, and a writer, where it is about what transactions leave", () => {
    for (const { seed, shape } of about("remains")) {
      expect(shape, `seed ${seed}`).toMatchObject({ brokers: 3, allowsUnclean: true });
      expect(shape.clients.some(({ kind }) => kind === "writer")).toBe(true);
      expect(
        shape.topics.every(({ partitions, replicationFactor }) => partitions * replicationFactor === 3),
      ).toBe(true);
    }
  });

  it("ends no process behind a flush where it is about anything else, whose seeds are what they were", () => {
    const [{ seed, shape } = { seed: 0, shape: null }] = about("everything");
    expect(shape).not.toBeNull();
    if (shape === null) return;
    const acts = drawScript(seed, shape);
    expect(acts.filter((act) => act.kind === "restart" && act.flushes)).toEqual([]);
  });
});
