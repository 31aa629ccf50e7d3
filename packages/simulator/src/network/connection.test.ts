import { expect, test } from "vitest";
import { Chance } from "../chance.ts";
import type { SimProcess } from "../world/process.ts";
import { Timeline } from "../world/timeline.ts";
import { Connection, type NetworkParts } from "./connection.ts";

/** Nobody serves. */
const DOWN = { cluster: null, onEnd: () => {} } as unknown as SimProcess;

test.each([
  ["who lives hears a moment later that nobody serves", false, ["lost"]],
  ["who dies within that moment hears nothing any more, and so asks for nothing more", true, []],
])("%s", async (_, dies, heard) => {
  const timeline = new Timeline();
  const rest = { delayMsMax: 0, lossPermille: 0, lateUntilMs: 0, atWork: new Set<never>(), broken: () => {} };
  const parts: NetworkParts = { timeline, process: DOWN, ...rest };
  const connection = new Connection(parts, Chance.of(1, "client"));
  const answers: string[] = [];
  void connection.ask(() => null).then(({ kind }) => answers.push(kind));
  if (dies) connection.die();
  timeline.moveTo(5);
  timeline.act();
  await new Promise((resolve) => setImmediate(resolve));
  expect(answers).toEqual(heard);
});
