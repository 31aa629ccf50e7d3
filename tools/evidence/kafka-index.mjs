/**
 * Where the mapping speaks of a KIP, or of a setting of Kafka's: taken from the words of its rows, so that nothing is said twice.
 *
 * @typedef {import("./read.mjs").KafkaChapter} KafkaChapter
 */

const KIP = /KIP-(\d+)/g;
/** In backticks: words of small letters with dots between, as `min.insync.replicas`; not a file's name, nor a logger's. */
const SETTING = /`(?!kafka\.)([a-z]+(?:\.[a-z]+)+)`/g;
const FILE_ENDINGS = [".swap", ".cleaned", ".json", ".timeindex", ".txnindex", ".snapshot"];

/**
 * @param {ReadonlyMap<string, KafkaChapter>} chapters
 * @param {(text: string) => Iterable<string>} namesIn
 * @returns {Map<string, string[]>} ids of rows by what they name
 */
function rowsBy(chapters, namesIn) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const { id, here, kafka = "", boundary = "" } of [...chapters.values()].flatMap(({ rows }) => rows)) {
    for (const name of new Set(namesIn([here, kafka, boundary].join(" ")))) {
      found.set(name, [...(found.get(name) ?? []), id]);
    }
  }
  return found;
}

/**
 * @param {ReadonlyMap<string, KafkaChapter>} chapters
 * @returns {[kip: string, ids: string[]][]} by number
 */
export function rowsByKip(chapters) {
  const found = rowsBy(chapters, (text) => Array.from(text.matchAll(KIP), (match) => String(match[1])));
  return [...found]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([number, ids]) => [`KIP-${number}`, ids]);
}

/**
 * @param {ReadonlyMap<string, KafkaChapter>} chapters
 * @returns {[setting: string, ids: string[]][]} by name
 */
export function rowsBySetting(chapters) {
  const found = rowsBy(chapters, (text) => Array.from(text.matchAll(SETTING), (match) => String(match[1])));
  return [...found]
    .filter(([name]) => !FILE_ENDINGS.some((ending) => name.endsWith(ending)))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
