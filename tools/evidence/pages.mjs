/**
 * The two pages of evidence, as they stand in docs.
 *
 * @typedef {import("./read.mjs").Evidence} Evidence
 * @typedef {import("./read.mjs").KafkaChapter} KafkaChapter
 * @typedef {import("./read.mjs").Comparison} Comparison
 * @typedef {import("./read.mjs").Tests} Tests
 */
import { rowsByKip, rowsBySetting } from "./kafka-index.mjs";
import { FOLDER } from "./read.mjs";

/** @param {string} folder */
function printed(folder) {
  return `<!-- Printed by \`npm run reference\` from ${folder}; change that. -->`;
}

/** @param {string} [text] */
function cell(text = "") {
  return text.trim().replaceAll("|", "\\|").replaceAll("\n", " ");
}

/**
 * @param {Tests} [tests]
 * @returns {string[]}
 */
function citations(tests = {}) {
  return Object.entries(tests).map(([file, names]) => {
    const quoted = names === "all" ? [] : names.map((name) => `"${name}"`);
    return [`\`${file}\``, quoted.join(", ")].filter(Boolean).join(" ");
  });
}

/** @param {readonly string[]} cells */
function line(cells) {
  return `|${cells.map((text) => (text === "" ? " " : ` ${text} `)).join("|")}|`;
}

/** @param {string} id */
function anchor(id) {
  return `<a id="${id}"></a>`;
}

/** @param {readonly string[]} [ids] of rows of the behavior matrix */
function links(ids = [], page = "") {
  return ids.map((id) => `[${id}](${page}#${id})`);
}

/** @param {Evidence["promises"]} promises */
function promisesPart({ title, introduction, chapters }) {
  const parts = chapters.map((chapter) => {
    const rows = chapter.rows.map(({ id, text, proof }) =>
      line([`${anchor(id)}${cell(text)}`, links(proof).join(", ")]),
    );
    return [`### ${chapter.title}\n`, "| promise | kept by |", "|---|---|", ...rows, ""].join("\n");
  });
  const before = introduction === undefined ? [] : [`${introduction.trim()}\n`];
  return [`## ${title}\n`, ...before, ...parts].join("\n");
}

/**
 * @param {Evidence} evidence
 * @returns {string} docs/behavior-matrix.md
 */
export function behaviorPage({ pages, promises, behavior }) {
  const { title, introduction } = pages.behavior_matrix;
  const chapters = [...behavior.values()].map((chapter) => {
    const rows = chapter.rows.map(({ id, text, tests }) =>
      line([`${anchor(id)}${cell(text)}`, cell(citations(tests).join(", "))]),
    );
    const before = chapter.introduction === undefined ? [] : [`${chapter.introduction.trim()}\n`];
    return [`## ${chapter.title}\n`, ...before, "| promise | proof |", "|---|---|", ...rows, ""].join("\n");
  });
  const comment = printed(`${FOLDER}/promises.yaml and ${FOLDER}/behavior`);
  const before = [`# ${title}\n`, `${comment}\n`, `${introduction.trim()}\n`];
  return [...before, promisesPart(promises), ...chapters].join("\n");
}

/** @param {string} word */
function capital(word) {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** @param {Comparison["original"]} original */
function originalCell(original) {
  if (original === undefined) return "";
  const dial = original.dial === undefined ? "" : `; so under \`${original.dial}\``;
  return `${capital(original.grade)}: ${cell(original.text)}${dial}`;
}

/**
 * @param {KafkaChapter} chapter
 * @returns {string}
 */
function kafkaChapter({ title, is_part, introduction, kafka_heading, rows }) {
  const tellsOriginal = rows.some((row) => row.original !== undefined);
  const lines = rows.map((row) =>
    line([
      `${anchor(row.id)}${capital(row.grade)}`,
      cell(row.here),
      ...(tellsOriginal ? [originalCell(row.original)] : []),
      cell(row.kafka),
      cell(row.boundary),
      cell([...links(row.proof, "behavior-matrix.md"), ...citations(row.tests)].join(", ")),
    ]),
  );
  const columns = [
    "grade",
    "here",
    ...(tellsOriginal ? ["the original"] : []),
    kafka_heading,
    "boundary",
    "proof",
  ];
  const before = introduction === undefined ? [] : [`${introduction.trim()}\n`];
  const ruler = `|${"---|".repeat(columns.length)}`;
  return [`${is_part ? "###" : "##"} ${title}\n`, ...before, line(columns), ruler, ...lines, ""].join("\n");
}

/**
 * @param {string} title
 * @param {string} heading of the first column
 * @param {readonly (readonly [name: string, ids: readonly string[]])[]} entries
 */
function indexPart(title, heading, entries) {
  const rows = entries.map(([name, ids]) => line([name, links(ids).join(", ")]));
  return [`## ${title}\n`, line([heading, "rows"]), "|---|---|", ...rows, ""].join("\n");
}

/** @param {Evidence["kafka"]} kafka */
function indexParts(kafka) {
  const settings = rowsBySetting(kafka).map(([name, ids]) => /** @type {const} */ ([`\`${name}\``, ids]));
  return [
    indexPart("By KIP", "KIP", rowsByKip(kafka)),
    indexPart("By setting of Kafka's", "setting", settings),
  ];
}

/**
 * @param {Evidence} evidence
 * @returns {string} docs/kafka-mapping.md
 */
export function kafkaPage({ pages, kafka }) {
  const { title, introduction } = pages.kafka_mapping;
  const before = [`# ${title}\n`, `${printed(`${FOLDER}/kafka`)}\n`, `${introduction.trim()}\n`];
  return [...before, ...[...kafka.values()].map(kafkaChapter), ...indexParts(kafka)].join("\n");
}

/**
 * @param {Evidence} evidence
 * @returns {Record<string, string>} by path from the root
 */
export function evidencePages(evidence) {
  return {
    "docs/behavior-matrix.md": behaviorPage(evidence),
    "docs/kafka-mapping.md": kafkaPage(evidence),
  };
}
