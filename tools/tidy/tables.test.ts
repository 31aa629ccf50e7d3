import { expect, test } from "vitest";
import {
  apisHaveFiles,
  errorsAreDocumented,
  operationsAreDocumented,
  operationsHaveFiles,
} from "./tables.ts";
import { workspaceOf } from "./workspace.ts";

test("an error code without documentation is found, and so is documentation without its code", () => {
  const page = "# Errors\n\n## `UNKNOWN_TOPIC`\n\n## `OLD_ERROR`\n";
  expect(
    errorsAreDocumented(workspaceOf({ "docs/reference/errors.md": page }), ["UNKNOWN_TOPIC", "NEW_ERROR"]),
  ).toEqual([
    "docs/reference/errors.md: the code NEW_ERROR of packages/protocol/src/errors.ts is missing",
    "docs/reference/errors.md: the code OLD_ERROR is not in packages/protocol/src/errors.ts",
  ]);
});

test("an operation without documentation is found, and so is documentation without its operation", () => {
  const page = "# Protocol\n\n## `ping`\n\n## `old_one`\n";
  expect(
    operationsAreDocumented(workspaceOf({ "docs/reference/protocol.md": page }), ["ping", "new_one"]),
  ).toEqual([
    expect.stringContaining("the operation new_one of"),
    expect.stringContaining("the operation old_one is not in"),
  ]);
});

test("an operation without its schema or handler is found, and so is a file without its operation", () => {
  const files = {
    "packages/protocol/src/json/operations/list-topics.ts": "",
    "packages/protocol/src/json/operations/list-topics.test.ts": "",
    "packages/protocol/src/json/operations/old-one.ts": "",
    "apps/broker/src/json/handlers/ping.ts": "",
  };
  expect(operationsHaveFiles(workspaceOf(files), ["ping", "list_topics"])).toEqual([
    expect.stringContaining("packages/protocol/src/json/operations/: the file ping.ts of"),
    expect.stringContaining("packages/protocol/src/json/operations/: the file old-one.ts is not in"),
    expect.stringContaining("apps/broker/src/json/handlers/: the file list-topics.ts of"),
  ]);
});

test("an API of Kafka's without its file is found, and so is a numbered file without its API", () => {
  const files = {
    "packages/protocol/src/kafka/apis/01-fetch.ts": "",
    "packages/protocol/src/kafka/apis/22-init-producer-ids.ts": "",
    "packages/protocol/src/kafka/apis/leader-fields.ts": "",
  };
  const apis = [
    { key: 1, name: "Fetch" },
    { key: 22, name: "InitProducerId" },
  ];
  expect(apisHaveFiles(workspaceOf(files), apis)).toEqual([
    expect.stringContaining("packages/protocol/src/kafka/apis/: the file 22-init-producer-id.ts of"),
    expect.stringContaining("packages/protocol/src/kafka/apis/: the file 22-init-producer-ids.ts is not in"),
  ]);
});
