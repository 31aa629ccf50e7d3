/** The sentences that `npm start` says to a newcomer. */

const DEFAULT_PORT = 9192;

/**
 * @param {string} line a line of the broker's stdout
 * @returns {string | null} what to type next, when the line says that the broker is ready
 */
export function adviceOnceReady(line) {
  const ready = readyLine(line);
  if (ready === null) return null;
  const cli =
    ready.port === DEFAULT_PORT ? "npx minikafka-cli" : `npx minikafka-cli -b ${ready.host}:${ready.port}`;
  return [
    "",
    `MiniKafka listens on ${ready.host}:${ready.port} and keeps its records in ${ready.data}.`,
    "In a second terminal, in this folder, type:",
    "",
    `  ${cli} topics create orders -p 2`,
    `  echo created | ${cli} produce orders -k alice`,
    `  ${cli} fetch orders -p 1 -e -J`,
    "",
    ...kafkaAdvice(ready.kafka ?? []),
    "Ctrl-C stops the broker; the records stay.",
    "",
  ].join("\n");
}

/**
 * @param {readonly { host: string, port: number }[]} brokers
 * @returns {string[]}
 */
function kafkaAdvice(brokers) {
  if (brokers.length === 0)
    return ["Clients of Kafka need a port of their own: npm start -- --kafka-port 9092", ""];
  const addresses = brokers.map(({ host, port }) => `"${host}:${port}"`).join(", ");
  return ["Clients of Kafka find it by", "", `  new Kafka({ brokers: [${addresses}] })`, ""];
}

/**
 * @param {string} line
 * @returns {{ host: string, port: number, data: string, kafka?: { host: string, port: number }[] } | null}
 */
function readyLine(line) {
  try {
    const value = JSON.parse(line);
    return value !== null && value.msg === "ready" ? value : null;
  } catch {
    return null;
  }
}

/**
 * Without `--` npm takes the broker's flags for its own, says so in the variables of its configuration, and hands on only what is left:
 * of `--port 0` the 0, of `--port=0` and `--lab` nothing.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @param {readonly string[]} settings the broker's, as in a file
 * @param {readonly string[]} words what npm has handed on
 * @returns {string | null} what to type instead; `null` where npm has kept nothing
 */
export function adviceWhenKept(environment, settings, words) {
  const kept = settings.flatMap((setting) => {
    const value = environment[`npm_config_${setting}`];
    return value === undefined ? [] : [{ flag: `--${setting.replaceAll("_", "-")}`, value }];
  });
  if (kept.length === 0) return null;
  // Of several flags nobody knows which word was whose.
  const [only = null] = kept.length === 1 ? words : [];
  const typed = kept.map(({ flag, value }) => {
    if (value === "true") return only === null ? flag : `${flag} ${only}`;
    return value === "" ? flag : `${flag} ${value}`;
  });
  const flags = kept.map(({ flag }) => flag).join(", ");
  return [
    `npm has kept ${flags} for itself, and the broker was not started: its flags go behind --, as in`,
    "",
    `  npm start -- ${typed.join(" ")}${kept.length > 1 && words.length > 0 ? " …" : ""}`,
    "",
  ].join("\n");
}

/** @returns {string} */
export function adviceWhenNotStarted() {
  return [
    "",
    "The broker did not start; the reason is above. What often helps:",
    "  flags for the broker:        go behind --, as in          npm start -- --port 0",
    "  the port is taken:           npm start -- --port 0        (takes a free one)",
    "  the data folder is in use:   stop the other broker, or   npm start -- --data ./other",
    "",
  ].join("\n");
}
