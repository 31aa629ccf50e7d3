/** What hands that know another program type here, and what it is called here. */

const ISOLATION = "--isolation read_committed leaves out transactions that are open or were aborted";
/** As kafka-console-consumer, rpk and kcat name it. */
const ISOLATION_NAMES = { "--isolation-level": ISOLATION, "--read-committed": ISOLATION, "-X": ISOLATION };

/** Options that a sister command, or another program, has; by the command's words. */
const OPTIONS: { readonly [command: string]: { readonly [option: string]: string } } = {
  consume: {
    ...ISOLATION_NAMES,
    "--from-beginning": "-o earliest begins at the first record; -o latest, behind the last",
    "-p": "minikafka-cli fetch TOPIC -p N reads one partition; -g shares all of them out among a group's members",
  },
  fetch: {
    ...ISOLATION_NAMES,
    "--from-beginning":
      "fetch begins there by itself, as with -o beginning; -o end begins behind the last record",
    "-g": "minikafka-cli consume TOPIC -g GROUP reads as a member of a group",
  },
};

const LONG_NAMES: { readonly [option: string]: string } = { "--partition": "-p", "--group": "-g" };

const READ =
  "minikafka-cli fetch TOPIC reads a topic; minikafka-cli consume TOPIC -g GROUP as a member of a group";
const WRITE = "minikafka-cli produce TOPIC writes records";
const CLUSTER = "minikafka-cli describe shows the cluster and its brokers";
const COMMITTED = "minikafka-cli offsets get GROUP shows what a group has committed";
const TOPICS = (verb: string) =>
  `minikafka-cli topics ${verb}; groups, tx and snapshot have verbs of their own`;

/** Commands of others (Kafka's scripts, rpk, kcat, nats, kafkactl), by the words of the group in which they were sought. */
const COMMANDS: { readonly [group: string]: { readonly [word: string]: string } } = {
  "": {
    acl: "there is none: this broker knows no users",
    cluster: CLUSTER,
    config: "minikafka-cli topics config TOPIC shows a topic's settings, topics alter changes them",
    configs: "minikafka-cli topics config TOPIC shows a topic's settings, topics alter changes them",
    create: TOPICS("create"),
    delete: TOPICS("delete"),
    dump: "minikafka-cli log dump shows what lies in a log's files",
    "dump-log": "minikafka-cli log dump shows what lies in a log's files",
    "get-offsets": "minikafka-cli topics offsets TOPIC shows where partitions begin and end",
    info: CLUSTER,
    lag: "minikafka-cli groups describe shows how far groups are behind; check --lag-warning N judges it",
    list: TOPICS("list"),
    ls: TOPICS("list"),
    metadata: CLUSTER,
    perf: "minikafka-cli bench produce, bench fetch and bench e2e measure",
    profile: "minikafka-cli context names brokers",
    pub: WRITE,
    publish: WRITE,
    read: READ,
    "reset-offsets": "minikafka-cli groups seek moves where a group goes on",
    seek: "minikafka-cli groups seek moves where a group goes on",
    send: WRITE,
    serve: "the broker is a program of its own: minikafka-broker --data ./data",
    server: "the broker is a program of its own: minikafka-broker --data ./data",
    start: "the broker is a program of its own: minikafka-broker --data ./data",
    status: "minikafka-cli check says whether the cluster is well, describe what it is",
    sub: READ,
    subscribe: READ,
    write: WRITE,
  },
  broker: { describe: CLUSTER, list: CLUSTER, ls: CLUSTER, restart: "broker stop N, then broker start N" },
  groups: {
    lag: "minikafka-cli groups describe GROUP shows how far it is behind",
    members: "minikafka-cli groups describe GROUP --members shows who is in it",
    offsets: "minikafka-cli offsets get GROUP shows what it has committed",
    show: "minikafka-cli groups describe GROUP shows its members and how far it is behind",
  },
  offsets: {
    describe: COMMITTED,
    list: COMMITTED,
    ls: COMMITTED,
    show: COMMITTED,
  },
  topics: {
    "add-partitions": "minikafka-cli topics grow TOPIC N gives it more partitions",
    configure: "minikafka-cli topics alter TOPIC changes its settings",
    consume: READ,
    produce: WRITE,
    show: "minikafka-cli topics describe TOPIC shows its partitions, topics config TOPIC its settings",
    truncate: "minikafka-cli topics trim TOPIC deletes records below an offset",
  },
};

/** For an option or a command that `command` does not know, and another one does. */
export function hintElsewhere(command: string, message: string): string | null {
  const option = /^unknown option '(-[^'=]+)/.exec(message)?.[1] ?? "";
  const word = /^unknown command '([^']+)'/.exec(message)?.[1] ?? "";
  return found(OPTIONS[command], LONG_NAMES[option] ?? option) ?? found(COMMANDS[command], word);
}

function found(hints: { readonly [word: string]: string } = {}, word: string): string | null {
  return Object.hasOwn(hints, word) ? (hints[word] ?? null) : null;
}
