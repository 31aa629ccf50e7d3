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
