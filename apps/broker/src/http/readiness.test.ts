import { expect, test } from "vitest";
import { unreadyOf } from "./readiness.ts";

const READY = { isOpen: true, service: "serving", isLoading: false } as const;

test.each([
  [READY, []],
  [{ ...READY, isOpen: false }, ["STARTING"]],
  [{ ...READY, isLoading: true }, ["LOADING_SNAPSHOT"]],
  [{ ...READY, service: "stopping" as const }, ["STOPPING"]],
  [{ ...READY, service: "dead" as const }, ["CRASHED"]],
  [
    { isOpen: false, service: "stopping" as const, isLoading: true },
    ["STARTING", "LOADING_SNAPSHOT", "STOPPING"],
  ],
])("a broker that is %j is kept from being ready by %j", (standing, codes) => {
  expect(unreadyOf(standing).map(({ code }) => code)).toEqual(codes);
});
