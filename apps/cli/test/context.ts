/** A command's context in memory, with what it printed. */
import type { Context } from "../src/context.ts";
import { DataSink } from "../src/output/data-sink.ts";
import { Notes } from "../src/output/notes.ts";
import { run } from "../src/run.ts";
import type { Settings } from "../src/settings.ts";
import { type GivenWorld, type TestWorld, testWorld } from "./world.ts";

export interface TestContext extends Context {
  readonly world: TestWorld;
}

export function testContext(given: GivenWorld & { json?: boolean } = {}): TestContext {
  const world = testWorld(given);
  const settings: Settings = {
    broker: () => ({ address: { host: "127.0.0.1", port: 1 }, context: null }),
    json: given.json === true,
    quiet: false,
    timeoutMs: null,
  };
  return {
    settings,
    stdin: world.stdin,
    data: new DataSink(world.stdout),
    notes: new Notes(world.stderr, { ...settings, env: world.env }),
    interrupted: world.interrupted,
    env: world.env,
    runAnother: run,
    world,
  };
}
