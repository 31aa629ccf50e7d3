import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { anysIn, readDeclarations, undocumentedIn } from "./public-types.ts";
import { parseAll } from "./tidy/syntax.ts";

const declarationsOf = (name: string) =>
  readDeclarations(fileURLToPath(new URL(`../packages/${name}/dist`, import.meta.url)));

test.for(["client", "testing"])(
  "no type of @minikafka/%s is any, and whatever it exports says what it means",
  (name) => {
    const sources = declarationsOf(name);
    expect(anysIn(sources)).toEqual([]);
    expect(undocumentedIn(sources)).toEqual([]);
  },
);

const CLASS = `import type { Far } from "far";
/** Says what it is. */
export declare class Said {
  #own;
  /** Says it. */
  loud(): void;
  quiet(): unknown[];
  get seen(): number;
  [Symbol.asyncDispose](): Promise<void>;
}
export interface Silent {}
export type { Far };
`;

test("an export without a doc comment, a class's member without one, and any are found", () => {
  const index = 'export { Said, type Silent } from "./a.ts";\nexport type { Far, Gone } from "./a.ts";\n';
  const sources = parseAll([
    ["index.d.ts", index],
    ["a.d.ts", CLASS],
    ["b.d.ts", "/** any */\nexport type Any = readonly any[];\n"],
  ]);
  expect(anysIn(sources)).toEqual(["b.d.ts:2: any; say what it is, or unknown"]);
  expect(undocumentedIn(sources)).toEqual([
    "a.d.ts: Said.quiet has no doc comment",
    "a.d.ts: Said.seen has no doc comment",
    "a.d.ts: Silent has no doc comment",
    "a.d.ts: Gone is exported and not declared",
  ]);
});
