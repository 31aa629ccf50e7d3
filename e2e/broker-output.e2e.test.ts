/** What the broker's program prints for who asks what it is, and cannot print: that is told, and is no success. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const BROKER = fileURLToPath(new URL("../apps/broker/bin/minikafka-broker.cjs", import.meta.url));
/** Linux: each write is refused as on a disk that is full. */
const FULL = "/dev/full";

test.skipIf(!existsSync(FULL)).each(["--help", "--version"])(
  "%s on a disk that is full ends with a sentence and an exit code",
  (flag) => {
    const full = openSync(FULL, "w");
    onTestFinished(() => closeSync(full));
    const { status, stderr } = spawnSync(process.execPath, [BROKER, flag], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^error: .*ENOSPC.*\nhint: .*\n$/),
    });
  },
);
