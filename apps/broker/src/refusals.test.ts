import { DataFolderRefused } from "@minikafka/core";
import { expect, test } from "vitest";
import { EXIT, refusalOf } from "./refusals.ts";

test("a refused data folder is told in its own sentence, with a hint for its reason and the exit code of refused folders", () => {
  const hintOf = (reason: DataFolderRefused["reason"]) => {
    const refusal = refusalOf(new DataFolderRefused(reason, "/data", "is so and so"));
    expect(refusal).toMatchObject({ sentence: 'the data folder "/data" is so and so' });
    expect(refusal?.exitCode).toBe(reason === "in-use" ? EXIT.dataFolderInUse : EXIT.dataFolderRefused);
    return refusal?.hint;
  };
  expect(hintOf("in-use")).toContain("stop that process");
  expect(hintOf("damaged")).toContain("restore the file");
});

test("whoever has a file in the place of one broker's folder is not told to remove the others", () => {
  const refusal = refusalOf(new DataFolderRefused("no-broker-folder", "/data", "has a file called broker-2"));
  expect(refusal?.hint).toContain("begins empty, and rejoin makes its copies anew");
  expect(refusal?.hint).not.toContain("remove the folder");
});
