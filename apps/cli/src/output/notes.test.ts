import { expect, test } from "vitest";
import { testWorld } from "../../test/world.ts";
import { CliError } from "../failure.ts";
import { Notes } from "./notes.ts";

const FAILURE = new CliError("TIMEOUT", "no answer", { details: { sent: true } });

function noted(options: {
  json?: boolean;
  quiet?: boolean;
  isTerminal?: boolean;
  env?: { NO_COLOR?: string };
}) {
  const world = testWorld();
  const { json = false, quiet = false, isTerminal = false, env = {} } = options;
  const notes = new Notes(Object.assign(world.stderr, { isTTY: isTerminal }), { json, quiet, env });
  notes.remark("by the way");
  notes.failure(FAILURE, "wait longer");
  return world.said.stderr;
}

test("a person gets the remark, the error and the hint, one line each", () => {
  expect(noted({})).toBe("% by the way\nerror: TIMEOUT: no answer\nhint: wait longer\n");
});

test("quiet leaves the error alone", () => {
  expect(noted({ quiet: true })).toBe("error: TIMEOUT: no answer\n");
});

test("a program gets one object and no remarks", () => {
  expect(JSON.parse(noted({ json: true }))).toEqual({
    error: {
      code: "TIMEOUT",
      retriable: true,
      message: "no answer",
      details: { sent: true },
      hint: "wait longer",
    },
  });
});

test("only a terminal sees colours, and not when NO_COLOR is set", () => {
  expect(noted({ isTerminal: true })).toContain("\u001b[31merror:\u001b[0m TIMEOUT");
  expect(noted({ isTerminal: true, env: { NO_COLOR: "1" } })).not.toContain("\u001b");
});

test("progress is one line of a terminal, which whatever comes next takes the place of", () => {
  const world = testWorld();
  const stderr = Object.assign(world.stderr, { isTTY: true, columns: 12 });
  const notes = new Notes(stderr, { json: false, quiet: false, env: { NO_COLOR: "1" } });
  notes.progress("half of it");
  notes.progress("more than half of it");
  notes.remark("done");
  notes.progress("again");
  notes.progressDone();
  notes.progressDone();
  const over = "\r\u001b[2K";
  expect(world.said.stderr).toBe(`% half of i${over}% more than${over}% done\n% again${over}`);
});

test.each([
  [{ isTTY: false }, {}],
  [{ isTTY: true }, { quiet: true }],
  [{ isTTY: true }, { json: true }],
])("nobody else sees progress: %j, %j", (stream, options) => {
  const world = testWorld();
  const notes = new Notes(Object.assign(world.stderr, stream), {
    json: false,
    quiet: false,
    env: {},
    ...options,
  });
  notes.progress("half of it");
  notes.progressDone();
  expect(world.said.stderr).toBe("");
});
