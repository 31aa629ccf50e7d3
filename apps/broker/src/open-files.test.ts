import { expect, test } from "vitest";
import { openFilesDefault } from "./open-files.ts";

test("half of what the system allows is for the logs, and never more than 512 nor less than 10", () => {
  expect(openFilesDefault(1024)).toBe(512);
  expect(openFilesDefault(1_000_000)).toBe(512);
  expect(openFilesDefault(257)).toBe(128);
  expect(openFilesDefault(12)).toBe(10);
  expect(openFilesDefault("unlimited")).toBe(512);
  expect(openFilesDefault(undefined)).toBe(512);
  expect(openFilesDefault()).toBeGreaterThanOrEqual(10);
});
