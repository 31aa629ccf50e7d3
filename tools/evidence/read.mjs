/**
 * The evidence: what this project promises and how it stands beside Kafka, each row with the tests that prove it.
 * docs/evidence holds it, written by hand; docs/behavior-matrix.md and docs/kafka-mapping.md are printed from it.
 *
 * @typedef {import("zod").infer<typeof BEHAVIOR_CHAPTER>} BehaviorChapter
 * @typedef {import("zod").infer<typeof KAFKA_CHAPTER>} KafkaChapter
 * @typedef {import("zod").infer<typeof PAGES>} Pages
 * @typedef {import("zod").infer<typeof PROMISES>} Promises
 * @typedef {BehaviorChapter["rows"][number]} Behavior
 * @typedef {KafkaChapter["rows"][number]} Comparison
 * @typedef {Behavior["tests"]} Tests
 * @typedef {{ pages: Pages, promises: Promises, behavior: Map<string, BehaviorChapter>, kafka: Map<string, KafkaChapter> }} Evidence
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";

export const FOLDER = "docs/evidence";
const PROMISES_FILE = `${FOLDER}/promises.yaml`;

const text = z.string().min(1);
const id = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "an id is made of words of a-z and 0-9 with hyphens between");

/** By the path of a test file: names of tests as they stand in it, or all that it has. */
const tests = z.record(
  z.string().regex(/\.test\.ts$/, "a proof is a test file, *.test.ts"),
  z.union([z.literal("all"), z.array(text).min(1)]),
);

/** Where a test may be skipped: the words that it says then, one reason or several. */
const may_skip = z.union([text, z.array(text).min(1)]).optional();

const behavior = z.strictObject({
  id,
  text,
  tests: tests.refine((files) => Object.keys(files).length > 0, "a promise without a test"),
  may_skip,
});

/** What the design promises; each is kept by rows of the behavior matrix. */
const promise = z.strictObject({ id, text, proof: z.array(id).min(1, "a promise that no row keeps") });

const PROMISES = z.strictObject({
  title: text,
  introduction: text.optional(),
  chapters: z.array(z.strictObject({ title: text, rows: z.array(promise).min(1) })).min(1),
});

/** How a row stands beside Kafka. */
const GRADES = /** @type {const} */ (["equivalent", "simplified", "different", "missing"]);

/** The system in Python that this one carries on: its own grade, what it did, and the dial that does so here. */
const original = z.strictObject({
  grade: z.enum(["equivalent", "simplified", "opposite"]),
  text,
  dial: text.optional(),
});

const comparison = z
  .strictObject({
    id,
    grade: z.enum(GRADES),
    here: text,
    original: original.optional(),
    kafka: text.optional(),
    boundary: text.optional(),
    /** Rows of the behavior matrix. */
    proof: z.array(id).min(1).optional(),
    tests: tests.optional(),
    may_skip,
  })
  .refine(({ grade, proof, tests }) => grade === "missing" || proof !== undefined || tests !== undefined, {
    error: "no proof: name rows of the matrix under proof, or tests; only what is missing needs none",
  });

const BEHAVIOR_CHAPTER = z.strictObject({
  title: text,
  introduction: text.optional(),
  rows: z.array(behavior).min(1),
});

const KAFKA_CHAPTER = z.strictObject({
  title: text,
  /** Stands beneath the chapter before it. */
  is_part: z.boolean().default(false),
  introduction: text.optional(),
  /** The heading of the third column, where it is about one version alone. */
  kafka_heading: text.default("Kafka"),
  rows: z.array(comparison).min(1),
});

const page = z.strictObject({ title: text, introduction: text, chapters: z.array(id).min(1) });
const PAGES = z.strictObject({ behavior_matrix: page, kafka_mapping: page });

/**
 * @param {PropertyKey[]} path into a chapter
 * @param {any} value the whole chapter
 * @returns {string} such as "torn-tail-cut, tests"
 */
function placeOf(path, value) {
  const last = path.lastIndexOf("rows");
  const index = path[last + 1];
  if (last < 0 || typeof index !== "number") return path.map(String).join(".");
  const row = path.slice(0, last + 2).reduce((inner, key) => inner?.[key], value);
  const name = typeof row?.id === "string" ? row.id : `row ${index + 1}`;
  return [
    name,
    path
      .slice(last + 2)
      .map(String)
      .join("."),
  ]
    .filter(Boolean)
    .join(", ");
}

/**
 * @template {z.ZodType} Schema
 * @param {ReadonlyMap<string, string>} files
 * @param {string} path
 * @param {Schema} schema
 * @param {string[]} problems to add to
 * @returns {z.infer<Schema> | null}
 */
function readFile(files, path, schema, problems) {
  const source = files.get(path);
  if (source === undefined) {
    problems.push(`${path}: there is no such file`);
    return null;
  }
  const document = parseDocument(source);
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) {
    problems.push(...wrong.map(({ message }) => `${path}: ${message.split("\n")[0]}`));
    return null;
  }
  const value = document.toJS();
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  problems.push(
    ...result.error.issues.map((issue) => `${path}: ${placeOf(issue.path, value)}: ${issue.message}`),
  );
  return null;
}

/**
 * @template {z.ZodType} Schema
 * @param {ReadonlyMap<string, string>} files
 * @param {string} folder
 * @param {readonly string[]} names
 * @param {Schema} schema
 * @param {string[]} problems to add to
 * @returns {Map<string, z.infer<Schema>>} by the path of the file
 */
function readChapters(files, folder, names, schema, problems) {
  const paths = names.map((name) => `${folder}/${name}.yaml`);
  for (const path of files.keys()) {
    const isOne = path.startsWith(`${folder}/`) && !paths.includes(path);
    if (isOne) problems.push(`${path}: name it in ${FOLDER}/pages.yaml`);
  }
  const read = paths.map((path) => /** @type {const} */ ([path, readFile(files, path, schema, problems)]));
  return new Map(read.flatMap(([path, chapter]) => (chapter === null ? [] : [[path, chapter]])));
}

/**
 * @param {Evidence} evidence
 * @returns {string[]} ids that stand twice, and rows that are named and are not there
 */
function wrongReferences({ promises, behavior, kafka }) {
  const promised = promises.chapters.flatMap(({ rows }) =>
    rows.map((row) => ({ path: PROMISES_FILE, ...row })),
  );
  const compared = [...kafka].flatMap(([path, { rows }]) => rows.map((row) => ({ path, ...row })));
  const behaved = [...behavior].flatMap(([path, { rows }]) => rows.map((row) => ({ path, ...row })));
  /** @type {Map<string, string>} */
  const seen = new Map();
  const twice = [...promised, ...behaved, ...compared].flatMap(({ path, id }) => {
    const first = seen.get(id);
    seen.set(id, path);
    return first === undefined ? [] : [`${path}: ${id}: this id stands in ${first} too`];
  });
  const behaviors = new Set(behaved.map((row) => row.id));
  const gone = [...promised, ...compared].flatMap(({ path, id, proof = [] }) =>
    proof
      .filter((one) => !behaviors.has(one))
      .map((one) => `${path}: ${id}: no row of the matrix has the id ${one}`),
  );
  return [...twice, ...gone];
}

/**
 * @param {ReadonlyMap<string, string>} files texts by path from the root; others than the evidence do not matter
 * @returns {{ evidence: Evidence | null, problems: string[] }} no evidence without its list of chapters
 */
export function evidenceOf(files) {
  /** @type {string[]} */
  const problems = [];
  const pages = readFile(files, `${FOLDER}/pages.yaml`, PAGES, problems);
  const promises = readFile(files, PROMISES_FILE, PROMISES, problems);
  if (pages === null || promises === null) return { evidence: null, problems };
  const { behavior_matrix, kafka_mapping } = pages;
  const behavior = readChapters(
    files,
    `${FOLDER}/behavior`,
    behavior_matrix.chapters,
    BEHAVIOR_CHAPTER,
    problems,
  );
  const kafka = readChapters(files, `${FOLDER}/kafka`, kafka_mapping.chapters, KAFKA_CHAPTER, problems);
  const evidence = { pages, promises, behavior, kafka };
  // In a file that cannot be read nothing is found, which is no fault of those who refer to it.
  return { evidence, problems: problems.length > 0 ? problems : wrongReferences(evidence) };
}

/**
 * @param {string} root
 * @returns {Map<string, string>} the files of docs/evidence, by path from the root
 */
export function evidenceFiles(root) {
  const names = readdirSync(join(root, FOLDER), { recursive: true, encoding: "utf8" });
  const paths = names
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => `${FOLDER}/${name.replaceAll("\\", "/")}`);
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/**
 * @param {string} root
 * @returns {Evidence}
 * @throws {Error} that names everything that is wrong in it
 */
export function readEvidence(root) {
  const { evidence, problems } = evidenceOf(evidenceFiles(root));
  if (evidence === null || problems.length > 0) throw new Error(`docs/evidence:\n${problems.join("\n")}`);
  return evidence;
}
