import { expect, test } from "vitest";
import { z } from "zod";
import { operation } from "./operation.ts";

test("an operation's schemas are made when they are first asked for, and once", () => {
  const made: string[] = [];
  const look = operation({
    name: "look",
    summary: "Looks.",
    request: () => {
      made.push("request");
      return { topic: z.string() };
    },
    response: () => {
      made.push("response");
      return z.object({ seen: z.boolean() });
    },
  });
  expect(made).toEqual([]);
  expect(look.request).toBe(look.request);
  expect(look.response).toBe(look.response);
  expect(made).toEqual(["request", "response"]);
});
