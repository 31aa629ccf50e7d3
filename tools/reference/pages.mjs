/** The pages of the reference, printed from the tables that the program itself reads. */
import {
  ERRORS,
  EVENTS,
  factNames,
  OPERATIONS,
  REQUEST_BOUNDS,
  REQUEST_EVENTS,
  watchedEvent,
} from "@minikafka/protocol";
import { z } from "zod";
import { evidencePages } from "../evidence/pages.mjs";
import { readEvidence } from "../evidence/read.mjs";
import { ROOT } from "../pinned-pnpm.mjs";
import { commandLinePage } from "./command-line-page.mjs";
import { configurationPage } from "./configuration-page.mjs";
import { faultsPage } from "./faults-page.mjs";
import { fieldRows } from "./field-rows.mjs";

const PRINTED = "<!-- Printed by `npm run reference` from the tables of packages/protocol; change those. -->";

const PROTOCOL_INTRODUCTION = `# The JSON protocol

${PRINTED}

One JSON object a line, in UTF-8, over TCP. A session needs nothing else: \`nc 127.0.0.1 9192\` will do.

- A request names its operation: \`{"operation":"ping"}\`. Unknown fields are refused, so that no typing error goes unseen.
- An answer begins with \`"ok":true\` and the fields given below, or with \`"ok":false\`, a \`code\` of the
  [error table](errors.md), a \`message\`, \`retriable\` and, for some codes, \`details\`.
- Requests on one connection take effect in the order in which they arrive. A \`compact\` works while those behind it go on, and what
  waits for a coordinator keeps its place among the requests for the same transactional id or group, and before a look at transactions
  or groups, but holds nothing else back:
  - a \`produce\` of a transaction takes effect once the requests before it for its transactional id have, and, when it is the first to its
    partition, once the coordinator has added that: what others behind it do to the partition, or its topic, may come before it;
  - an \`end_transaction\` shows in each partition once its marker is there: a \`fetch\`, \`describe_partition\` or \`list_offsets\` that is
    sent before the end is answered may not see it yet; the same holds for whatever else ends a transaction (\`init_producer\`,
    \`abort_transaction\`, \`expire_transactions\`).

  Whoever needs one of these before what follows waits for its answer. A request that a fault of \`arm_fault\` delays or holds keeps back
  those behind it until it takes effect.
- Answers come in the order of the requests, unless a request has an \`id\`: its answer echoes the id and may come later than those behind it.
- Bytes are strict Base64 in fields named \`…_b64\`. \`null\` means absent, \`""\` means empty; the two are never confused.
- Offsets, ids and times are integers within ±(2^53 - 1). Times are milliseconds since 1970.
- A request holds at most ${REQUEST_BOUNDS.valuesMax} values (a list or an object counts as one more) and ${REQUEST_BOUNDS.namesMax} names
  in one object; lists have the bounds given below. A line of more than that is refused before anything is made of it.
- A line longer than the broker's \`--max-frame-bytes\` is answered with \`FRAME_TOO_LARGE\` and the connection closes.
  After any other bad line the connection stays usable, and its answer has the id if the line is an object of JSON with
  one valid \`id\`.
- A connection whose first bytes are those of a request of Kafka's protocol is closed without an answer; the broker's log says that Kafka's
  clients have ports of their own.
`;

const EVENTS_INTRODUCTION = `## Events

\`watch\` sends one line \`{"event": {…}}\` for each event, between the answers of its connection and never within one. What a
request caused is told before its answer, as far as it has happened by then. Events have these fields, and beside them those of
their kind:
`;

const EVENTS_DROPPED = `
A client that reads too slowly holds nobody up: once a mebibyte of its output lies unread, events for it are dropped. When it has
read all of that, \`events_dropped\` says how many are missing (\`count\`) and where they began (\`first_number\`); its own number is
that of the last one. It comes whatever topics and kinds were asked for.
`;

const REQUESTS = `
With \`requests\`, or where \`kinds\` names them, these are told as well, of each request that is taken after the watch's own answer. They
stand in the order in which requests are taken and come to their ends: with a manual clock one request is taken after the other, and
\`request\` is its number in the [trace](../traces.md). They have the fields topic, partition and broker_id as far as the request has
them, and nothing else of what it holds. Requests about traces and snapshots are not told, nor are lines that are too long.
`;

const ERRORS_INTRODUCTION = `# Error codes

${PRINTED}

Each code has one meaning and one \`retriable\` value, and a client may rely on both. Retriable means that the same request
may succeed later without any change by the caller.
`;

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/**
 * @param {import("./field-rows.mjs").Row[]} rows
 * @param {string} presence the heading of the third column
 * @returns {string}
 */
function table(rows, presence) {
  const lines = rows.map(
    (row) => `| \`${row.name}\` | ${cell(row.type)} | ${cell(row.presence)} | ${cell(row.meaning)} |`,
  );
  return [`| field | type | ${presence} | meaning |`, "|---|---|---|---|", ...lines].join("\n");
}

/**
 * @param {import("@minikafka/protocol").Operation} operation
 * @returns {string}
 */
function requestPart({ request }) {
  // Every request has `operation` and `id`; the introduction tells of them.
  const rows = fieldRows(z.toJSONSchema(request, { io: "input" })).filter(
    ({ name }) => name !== "operation" && name !== "id",
  );
  return rows.length === 0 ? "The request has no fields of its own." : `Request\n\n${table(rows, "default")}`;
}

/**
 * @param {import("@minikafka/protocol").Operation} operation
 * @returns {string}
 */
function answerPart({ response }) {
  const rows = fieldRows(z.toJSONSchema(response, { io: "input" })).map((row) => ({
    ...row,
    presence: row.presence === "required" ? "always" : row.presence === "" ? "" : "sometimes",
  }));
  return rows.length === 0 ? "The answer has no fields beside `ok`." : `Answer\n\n${table(rows, "present")}`;
}

/** @returns {string} what a watch shows */
function eventsPart() {
  const rows = fieldRows(z.toJSONSchema(watchedEvent, { io: "input" })).map((row) => ({
    ...row,
    presence: row.presence === "required" ? "always" : "sometimes",
  }));
  return `${EVENTS_INTRODUCTION}\n${table(rows, "present")}\n${EVENTS_DROPPED}\n${kindsTable(EVENTS)}\n${REQUESTS}\n${kindsTable(REQUEST_EVENTS)}\n`;
}

/**
 * @param {Readonly<Record<string, readonly [meaning: string, facts: string]>>} events
 * @returns {string}
 */
function kindsTable(events) {
  const kinds = Object.entries(events).map(([kind, [meaning, facts]]) => {
    const names = factNames(facts).map((name) => `\`${name}\``);
    return `| \`${kind}\` | ${cell(meaning)} | ${names.join(", ")} |`;
  });
  return ["| kind | what happened | fields |", "|---|---|---|", ...kinds].join("\n");
}

/** @returns {string} docs/reference/protocol.md */
export function protocolPage() {
  const sections = Object.values(OPERATIONS).map(
    (operation) =>
      `## \`${operation.name}\`\n\n${operation.summary}\n\n${requestPart(operation)}\n\n${answerPart(operation)}\n`,
  );
  return [PROTOCOL_INTRODUCTION, ...sections, eventsPart()].join("\n");
}

/** @returns {string} docs/reference/errors.md */
export function errorsPage() {
  const sections = Object.entries(ERRORS).map(([code, { retriable, kafkaCode, sentence }]) => {
    const kafka = kafkaCode === null ? "Kafka has no such error." : `Kafka's number: ${kafkaCode}.`;
    return `## \`${code}\`\n\n${sentence}\n\n${retriable ? "Retriable" : "Not retriable"}. ${kafka}\n`;
  });
  return [ERRORS_INTRODUCTION, ...sections].join("\n");
}

/** What belongs into the repository, by path from its root. */
export function pages() {
  return {
    "docs/reference/protocol.md": protocolPage(),
    "docs/reference/errors.md": errorsPage(),
    "docs/reference/faults.md": faultsPage(),
    "docs/reference/cli.md": commandLinePage(),
    "docs/reference/configuration.md": configurationPage(),
    ...evidencePages(readEvidence(ROOT)),
  };
}
