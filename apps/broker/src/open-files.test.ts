import { expect, test } from "vitest";
import {
  connectionsDefault,
  openFilesDefault,
  requireDescriptors,
  toldByLinux,
  toldByReport,
} from "./open-files.ts";

test("half of what the system allows is for the logs, and never more than 512 nor less than 10", () => {
  expect(openFilesDefault(1024)).toBe(512);
  expect(openFilesDefault(1_000_000)).toBe(512);
  expect(openFilesDefault(257)).toBe(128);
  expect(openFilesDefault(12)).toBe(10);
  expect(openFilesDefault("unlimited")).toBe(512);
  expect(openFilesDefault(undefined)).toBe(512);
  expect(openFilesDefault()).toBeGreaterThanOrEqual(10);
});

test("a process that may open too few files is refused in a sentence that says what to do", () => {
  for (const allowed of [32, 1024, "unlimited", undefined]) requireDescriptors(allowed);
  expect(() => requireDescriptors(31)).toThrow(
    /open 31 files at once; expected at least 32: .*ulimit -n 1024/,
  );
});

test("connections get what the logs and the process itself leave, at least one and never more than 2000", () => {
  expect(connectionsDefault(512, 1024)).toBe(448);
  expect(connectionsDefault(128, 256)).toBe(64);
  // More than there is was asked for the logs: they share.
  expect(connectionsDefault(100_000, 1024)).toBe(448);
  expect(connectionsDefault(512, 1_000_000)).toBe(2_000);
  expect(connectionsDefault(10, 4)).toBe(1);
  expect(connectionsDefault(512, "unlimited")).toBe(2_000);
  for (const allowed of [20, 40, 64, 100, 256, 1024, 4096, 65_536])
    expect(openFilesDefault(allowed) + connectionsDefault(openFilesDefault(allowed), allowed)).toBeLessThan(
      allowed,
    );
});

test("what the system allows is the same in Linux's own words, which are sooner had, as in a report of Node's", () => {
  const told = toldByLinux();
  if (process.platform === "linux") expect(told ?? "unlimited").toBe(toldByReport());
  else expect(told).toBeUndefined();
});
