/** The page of everything that can be set: of the broker, its dials, a topic, and a client, each from the code that reads it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { flagName, KAFKA_SETTINGS, settings } from "@minikafka/broker/settings";
import { LIMITS, ORIGINAL_DIALS, TOPIC_SETTINGS } from "@minikafka/core";
import { z } from "zod";
import { ROOT } from "../pinned-pnpm.mjs";
import { fieldRows } from "./field-rows.mjs";
import { optionsOf } from "./option-docs.mjs";

const INTRODUCTION = `# Configuration

<!-- Printed by \`npm run reference\` from apps/broker/src/config.ts, packages/core/src/cluster/topic-config.ts and the options of packages/client; change those. -->

What can be set, with what it may be, what holds where nothing is said, and what Kafka calls it. Where Kafka's own default is another one, it
stands beside its name.
`;

const BROKER = `## A broker

Each is a flag of \`minikafka-broker\`, a variable of the environment, or a field of the JSON file that \`--config\` names: \`--log-level\`,
\`MINIKAFKA_LOG_LEVEL\`, \`log_level\`. A flag goes before the environment, the environment before the file. A setting that does not exist, or
cannot be what it is said to be, ends the start with exit code 2, its name and where it was set.
`;

const DIALS = `## The dials

A dial decides between what Kafka does and what the system did that this one carries on ([what each shows](../profiles.md)). \`--profile\`
sets all of them; one that is given by its own flag goes before it.
`;

const TOPIC = `## A topic

Given at the creation (\`minikafka-cli topics create orders -c retention_ms=3600000\`), shown by \`topics config\`, changed by \`topics alter\`.
[The settings of a topic](../topic-settings.md) has more about each.
`;

const CLIENT = `## A client

Options of the SDK, \`@minikafka/client\`, by the call that takes them. Times are in milliseconds.
`;

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** @param {readonly (readonly string[])[]} rows the first one is the heading */
function table([heading = [], ...rows]) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `|${cells.map((text) => (text === "" ? " " : ` ${cell(text)} `)).join("|")}|`;
  return [line(heading), `|${"---|".repeat(heading.length)}`, ...rows.map(line), ""].join("\n");
}

/** @typedef {import("@minikafka/broker/settings").SettingName} SettingName */

function brokerTable() {
  const fields = fieldRows(z.toJSONSchema(settings, { io: "input", unrepresentable: "any" }));
  const rows = fields
    .filter(({ name }) => name in settings.shape)
    .map(({ name, type, presence, meaning }) => {
      const setting = /** @type {SettingName} */ (name);
      const fallback = presence === "optional" ? "" : presence;
      return [`\`${flagName(name)}\``, type, fallback, KAFKA_SETTINGS[setting] ?? "", meaning];
    });
  return table([["flag", "may be", "default", "Kafka", "meaning"], ...rows]);
}

function dialsTable() {
  const rows = Object.entries(ORIGINAL_DIALS).map(([name, value]) => {
    const setting = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const { description = "" } = settings.shape[/** @type {SettingName} */ (setting)];
    return [`\`${flagName(setting)}\``, `\`${value}\``, description.replace(/^a dial: /, "")];
  });
  return table([["flag", "with `--profile original`", "what it decides"], ...rows]);
}

function topicTable() {
  // What the defaults of a topic look at in its cluster, as the daemon sets it in auto mode.
  const cluster = /** @type {import("@minikafka/core").ResolvedConfig} */ ({
    segmentBytes: LIMITS.segmentBytesDefault,
    batchBytesMax: LIMITS.batchBytesMax,
  });
  const rows = Object.entries(TOPIC_SETTINGS).map(([name, { kafkaName, expected, defaultIn, meaning }]) => {
    const fallback = name === "segment_bytes" ? "`--segment-bytes`" : `\`${defaultIn(cluster)}\``;
    return [`\`${name}\``, expected, fallback, `\`${kafkaName}\``, meaning];
  });
  return table([["setting", "may be", "default", "Kafka", "meaning"], ...rows]);
}

/** Which call takes what, and where it is written. */
const CLIENT_OPTIONS = /** @type {const} */ ([
  ["`connect`", "ConnectOptions", "client-options.ts"],
  ["`connect`, and a client within a process", "ClientOptions", "client-options.ts"],
  ["`producer`", "ProducerOptions", "producer/producer-options.ts"],
  ["`consumer`", "ConsumerOptions", "consumer/consumer-options.ts"],
  ["`consumer`, of a group", "GroupOptions", "consumer/group/group-options.ts"],
]);

function clientTables() {
  return CLIENT_OPTIONS.flatMap(([call, name, file]) => {
    const source = readFileSync(join(ROOT, "packages/client/src", file), "utf8");
    const rows = optionsOf(source, name).map((option) => [
      `\`${option.name}\``,
      `\`${option.type}\``,
      option.meaning,
    ]);
    return [`### ${call}\n`, table([["option", "may be", "meaning"], ...rows])];
  });
}

/** @returns {string} docs/reference/configuration.md */
export function configurationPage() {
  const broker = [BROKER, brokerTable()];
  const dials = [DIALS, dialsTable()];
  return [INTRODUCTION, ...broker, ...dials, TOPIC, topicTable(), CLIENT, ...clientTables()].join("\n");
}
