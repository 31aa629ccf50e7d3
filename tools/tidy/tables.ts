/** The tables of the protocols, and all that must name the same errors, operations and APIs as they do. */
import { ERRORS, OPERATIONS } from "@minikafka/protocol";
import { API_TABLE } from "@minikafka/protocol/kafka";
import { missingEitherWay } from "./both-ways.ts";
import { proseLines } from "./markdown.ts";
import { isTest, type Rule, type Workspace } from "./workspace.ts";

const ERROR_TABLE = "packages/protocol/src/errors.ts";
const ERROR_PAGE = "docs/reference/errors.md";
const OPERATION_TABLE = "packages/protocol/src/json/operations.ts";
const OPERATION_PAGE = "docs/reference/protocol.md";
/** One file an operation in each of these. */
const OPERATION_FOLDERS = ["packages/protocol/src/json/operations/", "apps/broker/src/json/handlers/"];
const API_TABLE_FILE = "packages/protocol/src/kafka/api-table.ts";
/** One numbered file an API; what several of them need has no number. */
const API_FOLDER = "packages/protocol/src/kafka/apis/";

/** What stands in backticks in headings of this level. */
function headings(page: string | undefined, level: string): string[] {
  return proseLines(page ?? "").flatMap(({ text }) => {
    const name = new RegExp(`^${level} \`([^\`]+)\``).exec(text)?.[1];
    return name === undefined ? [] : [name];
  });
}

function fileNames({ files }: Workspace, folder: string): string[] {
  const inside = [...files.keys()].filter((path) => path.startsWith(folder) && !isTest(path));
  return inside.map((path) => path.slice(folder.length));
}

export function errorsAreDocumented(workspace: Workspace, codes: Iterable<string>): string[] {
  const names = headings(workspace.files.get(ERROR_PAGE), "##");
  return missingEitherWay("the code", { at: ERROR_TABLE, names: codes }, { at: ERROR_PAGE, names });
}

export function operationsAreDocumented(workspace: Workspace, operations: Iterable<string>): string[] {
  const names = headings(workspace.files.get(OPERATION_PAGE), "##");
  return missingEitherWay(
    "the operation",
    { at: OPERATION_TABLE, names: operations },
    { at: OPERATION_PAGE, names },
  );
}

export function operationsHaveFiles(workspace: Workspace, operations: Iterable<string>): string[] {
  const expected = Array.from(operations, (name) => `${name.replaceAll("_", "-")}.ts`);
  return OPERATION_FOLDERS.flatMap((folder) =>
    missingEitherWay(
      "the file",
      { at: OPERATION_TABLE, names: expected },
      { at: folder, names: fileNames(workspace, folder) },
    ),
  );
}

/** A file is named by its API's key, in two digits, and its name: 22-init-producer-id.ts. */
export function apisHaveFiles(workspace: Workspace, apis: Iterable<{ key: number; name: string }>): string[] {
  const expected = Array.from(apis, ({ key, name }) => {
    const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
    return `${String(key).padStart(2, "0")}-${words}.ts`;
  });
  const numbered = fileNames(workspace, API_FOLDER).filter((name) => /^\d/.test(name));
  return missingEitherWay(
    "the file",
    { at: API_TABLE_FILE, names: expected },
    { at: API_FOLDER, names: numbered },
  );
}

/** All of them, for this repository's own tables. */
export const tablesAreKept: Rule = (workspace) => [
  ...errorsAreDocumented(workspace, Object.keys(ERRORS)),
  ...operationsAreDocumented(workspace, Object.keys(OPERATIONS)),
  ...operationsHaveFiles(workspace, Object.keys(OPERATIONS)),
  ...apisHaveFiles(workspace, Object.values(API_TABLE)),
];
