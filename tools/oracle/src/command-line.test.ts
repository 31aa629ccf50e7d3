import { expect, test } from "vitest";
import { settingsOf } from "./command-line.ts";

test("options are read, help is help, and what is none is said", () => {
  expect(settingsOf([])).toEqual({ json: false, all: false, only: null, kafka: null });
  expect(settingsOf(["-J", "--all", "--only", "fetch", "--kafka", "k"])).toEqual({
    ...{ json: true, all: true, only: "fetch", kafka: "k" },
  });
  expect(settingsOf(["--only", "fetch", "-h"])).toBe("help");
  expect(settingsOf(["--nonsense"])).toContain("--nonsense");
  expect(settingsOf(["fetch"])).toContain("fetch");
});
