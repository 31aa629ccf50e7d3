/**
 * The two pages of evidence, as they stand in docs.
 *
 * @typedef {import("./read.mjs").Evidence} Evidence
 * @typedef {import("./read.mjs").Tests} Tests
 */
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
  return `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
}

/** @param {string} id */
function anchor(id) {
  return `<a id="${id}"></a>`;
}

/**
 * @param {Evidence} evidence
 * @returns {string} docs/behavior-matrix.md
 */
export function behaviorPage({ pages, behavior }) {
  const { title, introduction } = pages.behavior_matrix;
  const chapters = [...behavior.values()].map((chapter) => {
    const rows = chapter.rows.map(({ id, text, tests }) =>
      line([`${anchor(id)}${cell(text)}`, cell(citations(tests).join(", "))]),
    );
    const before = chapter.introduction === undefined ? [] : [`${chapter.introduction.trim()}\n`];
    return [`## ${chapter.title}\n`, ...before, "| promise | proof |", "|---|---|", ...rows, ""].join("\n");
  });
  return [`# ${title}\n`, `${printed(`${FOLDER}/behavior`)}\n`, `${introduction.trim()}\n`, ...chapters].join(
    "\n",
  );
}

/**
 * @param {Evidence} evidence
 * @returns {string} docs/kafka-mapping.md
 */
export function kafkaPage({ pages, kafka }) {
  const { title, introduction } = pages.kafka_mapping;
  const chapters = [...kafka.values()].map((chapter) => {
    const rows = chapter.rows.map((row) => {
      const links = (row.proof ?? []).map((id) => `[${id}](behavior-matrix.md#${id})`);
      const proof = [...links, ...citations(row.tests)].join(", ");
      const grade = `${anchor(row.id)}${row.grade.charAt(0).toUpperCase()}${row.grade.slice(1)}`;
      return line([grade, cell(row.here), cell(row.kafka), cell(row.boundary), cell(proof)]);
    });
    const before = chapter.introduction === undefined ? [] : [`${chapter.introduction.trim()}\n`];
    const heading = `${chapter.is_part ? "###" : "##"} ${chapter.title}\n`;
    const columns = [
      `| grade | here | ${chapter.kafka_heading} | boundary | proof |`,
      "|---|---|---|---|---|",
    ];
    return [heading, ...before, ...columns, ...rows, ""].join("\n");
  });
  return [`# ${title}\n`, `${printed(`${FOLDER}/kafka`)}\n`, `${introduction.trim()}\n`, ...chapters].join(
    "\n",
  );
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
