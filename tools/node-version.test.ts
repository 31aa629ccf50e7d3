import { expect, test } from "vitest";
import { isNewEnough } from "./node-version.mjs";

test.for(["20.19.0", "20.20.2", "21.0.0", "24.1.0"])("Node %s is new enough for >=20.19", (version) => {
  expect(isNewEnough(">=20.19", version)).toBe(true);
});

test.for(["18.20.8", "20.9.0", "20.18.3", "2.20.0"])("Node %s is too old for >=20.19", (version) => {
  expect(isNewEnough(">=20.19", version)).toBe(false);
});
