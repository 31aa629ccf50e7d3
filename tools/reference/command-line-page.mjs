/** The page of the command line, printed from the program's own tree of commands. */
import { codesEndingWith, createProgram, EXIT, EXIT_MEANINGS } from "@minikafka/cli";

const INTRODUCTION = `# The command line

<!-- Printed by \`npm run reference\` from apps/cli; change that. -->

Every command is \`minikafka-cli NOUN VERB\`, or a verb alone for what is typed most; each has \`--help\` with what is told here.

- Data goes to stdout; remarks (\`% …\`), progress, errors and hints go to stderr. \`-q\` leaves the errors. Progress and colours are for
  terminals alone, colours not where \`NO_COLOR\` is set. A reader that closes the pipe ends the command with 0.
- With \`-J\` everything that is printed is JSON: one document, or one a line where there are many, and errors as
  \`{"error":{"code":…,"retriable":…,"message":…,"details":…,"hint":…}}\` on stderr. Keys and values that are no UTF-8 stand as Base64 in
  \`key_b64\` and \`value_b64\`. What \`fetch -J\` prints, \`produce --jsonl\` takes.
- Tables have capital headers, two spaces between columns and a dash for nothing, so that grep and awk can take them.
- Durations have a unit: \`500ms\`, \`10s\`, \`1d12h\`. Times are milliseconds since 1970, or dates such as \`2026-01-31T12:00:00Z\`.
`;

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** @param {string} text of a table's cell, which its own vertical bars would end */
function code(text) {
  return `\`${cell(text)}\``;
}

/** @typedef {ReturnType<typeof createProgram>} Command */

/** @param {Command} command */
function wordsOf(command) {
  const words = [];
  for (let at = command; at.parent !== null; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

/**
 * What stands behind the options in the command's help: its examples, and what is worth knowing.
 * @param {Command} command
 */
function endOf(command) {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 110,
  });
  command.outputHelp();
  return text.slice(text.indexOf("\nExamples:\n") + 1).trim();
}

/** @param {Command} command */
function optionsOf(command) {
  const shared = sharedFlags(command);
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !shared.includes(option.flags));
}

/** @param {Command} command */
function sharedFlags(command) {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) =>
      ["--broker", "--context", "--json", "--quiet", "--timeout", "--help"].includes(long ?? ""),
    )
    .map(({ flags }) => flags);
}

/**
 * @param {readonly string[]} header
 * @param {readonly (readonly string[])[]} rows
 */
function table(header, rows) {
  if (rows.length === 0) return [];
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line), ""];
}

/**
 * @param {Command} command
 * @returns {string[]} lines
 */
function section(command) {
  const help = command.createHelp();
  const words = wordsOf(command);
  const aliases = command.aliases();
  const also = aliases.length === 0 ? "" : ` Also \`${aliases.join("`, `")}\`.`;
  const arguments_ = help.visibleArguments(command);
  const options = optionsOf(command);
  const inner = command.commands.filter((each) => !each.name().startsWith("__"));
  const end = inner.length > 0 ? [] : ["```", endOf(command), "```", ""];
  const usage = `minikafka-cli ${words} ${command.usage().replace(" [command]", " COMMAND")}`;
  return [
    `${words.includes(" ") ? "###" : "##"} \`${words}\``,
    "",
    `${command.description()}${also}`,
    "",
    ...(inner.length > 0 && arguments_.length === 0 ? [] : [`\`${usage}\``, ""]),
    ...table(
      ["argument", "meaning"],
      arguments_.map((argument) => [code(argument.name()), cell(help.argumentDescription(argument))]),
    ),
    ...table(
      ["option", "meaning"],
      options.map((option) => [code(option.flags), cell(help.optionDescription(option))]),
    ),
    ...end,
    ...inner.flatMap((each) => section(each)),
  ];
}

/** @param {Command} program */
function sharedPart(program) {
  const help = program.createHelp();
  const rows = help
    .visibleOptions(program)
    .filter(({ long }) => long !== "--version")
    .map((option) => [code(option.flags), cell(help.optionDescription(option))]);
  return [
    "## Options of every command",
    "",
    "Before or after its name; the last one counts. -b and --context exclude each other.",
    "",
  ].concat(table(["option", "meaning"], rows));
}

function exitCodes() {
  const rows = Object.entries(EXIT).map(([name, exit]) => [
    String(exit),
    EXIT_MEANINGS[/** @type {keyof typeof EXIT} */ (name)],
    codesEndingWith(exit)
      .map((each) => `\`${each}\``)
      .join(", "),
  ]);
  const other = [
    "[`check`](#check) alone has those of monitors' plugins: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN",
    "([why](../decisions/0018-check-ends-as-monitors-expect.md)).",
  ];
  return ["## Exit codes", "", ...table(["exit code", "meaning", "errors"], rows), other.join("\n"), ""];
}

/** @returns {string} docs/reference/cli.md */
export function commandLinePage() {
  const program = createProgram(() => Promise.resolve(), {});
  const commands = program.commands.filter((each) => !each.name().startsWith("__"));
  const list = commands.map((each) => `| [\`${each.name()}\`](#${each.name()}) | ${cell(each.summary())} |`);
  return [
    INTRODUCTION,
    ["| command | to |", "| --- | --- |", ...list].join("\n"),
    "",
    ...sharedPart(program),
    ...exitCodes(),
    ...commands.flatMap((each) => section(each)),
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/\n*$/, "\n");
}
