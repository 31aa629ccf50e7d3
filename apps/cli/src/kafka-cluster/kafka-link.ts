/**
 * A cluster of Kafka's that is spoken to: requests to any of its brokers, to the leader of a partition, to the coordinator of a group.
 *
 * Owns the connections, and what is known of who leads what. Each request is of one version that every Kafka since 3.0 has, so that what
 * comes back is known. What passes by itself (a leader that moves, a broker that restarts) is asked again until the patience
 * is at its end; a failure that is thrown is a CliError that says what was tried where. After `close` no socket and no timer is left.
 */
import { isIP } from "node:net";
import type { Broker, ConnectionPool } from "@platformatic/kafka";
import { CliError, Interrupted } from "../failure.ts";
import { clientLibrary, type Library } from "./client-library.ts";
import { type ClusterAddress, clusterText, type Place } from "./cluster-address.ts";
import { isRefusedFailure, kafkaFailure, problemOf } from "./kafka-problem.ts";
import { pause } from "./pause.ts";
import { requireKafka } from "./require-kafka.ts";
import type { Security } from "./security.ts";

export type Connection = Awaited<ReturnType<ConnectionPool["get"]>>;

export interface TopicMetadata {
  readonly topicId: string;
  readonly leaders: readonly number[];
}

/** Who is to answer. */
export type Whom =
  | { readonly kind: "any" }
  /** Who makes topics. */
  | { readonly kind: "controller" }
  | { readonly kind: "leader"; readonly topic: string; readonly partition: number }
  | { readonly kind: "coordinator"; readonly group: string };

export interface LinkOptions {
  readonly address: ClusterAddress;
  readonly security: Security;
  /** How long each answer may take; three times that is how long what passes by itself is asked again. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const CLIENT_ID = "minikafka-cli";
const ASK_AGAIN_MS = 100;
const ASK_AGAIN_MS_MAX = 2_000;
const GROUP_KEY = 0;
/** In answers that do not come. */
const PATIENCE = 3;

export class KafkaLink {
  readonly kafkaClient: Library;
  readonly where: string;
  readonly #options: LinkOptions;
  #pool: ConnectionPool;
  #brokers = new Map<number, Broker>();
  readonly #leaders = new Map<string, readonly number[]>();
  readonly #coordinators = new Map<string, Broker>();
  #clusterId = "";
  #controllerId = -1;
  #hasAnswered = false;
  #isClosed = false;

  private constructor(library: Library, options: LinkOptions) {
    this.kafkaClient = library;
    this.#options = options;
    this.where = clusterText(options.address);
    this.#pool = this.#newPool();
  }

  /** Looks what listens there, then asks for the cluster. Throws CONNECTION with what is found instead of Kafka. */
  static async open(options: LinkOptions): Promise<KafkaLink> {
    await requireKafka(options.address, options);
    const link = new KafkaLink(await clientLibrary(), options);
    try {
      await link.metadata([]);
    } catch (error) {
      await link.close();
      throw otherSecurityWanted(error, options.security);
    }
    return link;
  }

  get clusterId(): string {
    return this.#clusterId;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return cutOff(this.#pool);
  }

  /** Asks until there is an answer, or what came will not pass, or the patience is at its end. `what`, such as "reading orders [0]", is told where it fails. */
  ask<Answer>(
    what: string,
    whom: Whom,
    request: (connection: Connection) => Promise<Answer>,
  ): Promise<Answer> {
    return this.patiently(what, async () => request(await this.#connectionTo(whom)));
  }

  get #isEnding(): boolean {
    return this.#isClosed || this.#options.signal.aborted;
  }

  /** Asks every broker. */
  everywhere<Answer>(what: string, request: (connection: Connection) => Promise<Answer>): Promise<Answer[]> {
    return this.patiently(what, async () => {
      const brokers = [...this.#brokers.values()];
      return await Promise.all(brokers.map(async (broker) => request(await this.#pool.get(broker))));
    });
  }

  /** Does `work` again while it fails with what passes by itself. */
  async patiently<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const givenUpMs = performance.now() + PATIENCE * this.#options.timeoutMs;
    for (let waitMs = ASK_AGAIN_MS; ; waitMs = Math.min(2 * waitMs, ASK_AGAIN_MS_MAX)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof CliError || error instanceof Interrupted) throw error;
        const problem = problemOf(error);
        // Who has never answered is not restarting, but somebody else, or wants to be spoken to otherwise; nobody was there a moment ago
        // is a restart, where somebody was found to speak Kafka's protocol.
        const isRestart = problem.isRefused && this.#options.security.tls === undefined;
        const isStranger = !this.#hasAnswered && problem.error === null && !isRestart;
        const isOver = isStranger || this.#isEnding || performance.now() + waitMs > givenUpMs;
        if (!problem.retriable || isOver) throw kafkaFailure(error, what, this.where);
        await this.#forget(problem.error === null);
        await pause(waitMs, this.#options.signal);
      }
    }
  }

  /** Of the topics that are there; others are left out. `null` means all of them. Asked of who leads `place`, where that is known. */
  async metadata(
    topics: readonly string[] | null,
    place: Place | null = null,
  ): Promise<Map<string, TopicMetadata>> {
    const answer = await this.patiently("asking for the cluster", async () => {
      const connection = await (place !== null && this.#leaders.has(place.topic)
        ? this.#connectionTo({ kind: "leader", ...place })
        : this.#anyConnection());
      const { api } = this.kafkaClient.metadataV12;
      return await api.async(connection, topics === null ? null : [...topics], false, false).catch(partial);
    });
    this.#hasAnswered = true;
    this.#clusterId = answer.clusterId ?? "";
    this.#controllerId = answer.controllerId;
    this.#brokers = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    const found = new Map<string, TopicMetadata>();
    for (const { name, errorCode, topicId, partitions, isInternal } of answer.topics) {
      if (name === null || name === undefined || errorCode !== 0 || (topics === null && isInternal)) continue;
      const sorted = partitions.toSorted((one, other) => one.partitionIndex - other.partitionIndex);
      const leaders = sorted.map(({ leaderId }) => leaderId);
      this.#leaders.set(name, leaders);
      found.set(name, { topicId, leaders });
    }
    return found;
  }

  async #connectionTo(whom: Whom): Promise<Connection> {
    if (whom.kind === "any") return this.#anyConnection();
    if (whom.kind === "controller") return this.#controllerConnection();
    if (whom.kind === "leader") return this.#pool.get(await this.#leaderOf(whom));
    const { group } = whom;
    const known = this.#coordinators.get(group) ?? (await this.#findCoordinator(group));
    this.#coordinators.set(group, known);
    return this.#pool.get(known);
  }

  /** Brokers pass on what is the controller's (KIP-590); those of before must be asked themselves. */
  #controllerConnection(): Promise<Connection> {
    const broker = this.#brokers.get(this.#controllerId);
    return broker === undefined ? this.#anyConnection() : this.#pool.get(broker);
  }

  #anyConnection(): Promise<Connection> {
    return this.#pool.getFirstAvailable([...this.#options.address.brokers, ...this.#brokers.values()]);
  }

  async #leaderOf({ topic, partition }: Extract<Whom, { kind: "leader" }>): Promise<Broker> {
    if (!this.#leaders.has(topic)) await this.metadata([topic]);
    const leaders = this.#leaders.get(topic);
    const broker = this.#brokers.get(leaders?.[partition] ?? -1);
    if (broker !== undefined) return broker;
    const error = leaders === undefined ? "UNKNOWN_TOPIC_OR_PARTITION" : "LEADER_NOT_AVAILABLE";
    throw new this.kafkaClient.ProtocolError(error, `${topic} [${partition}] has no leader`);
  }

  async #findCoordinator(group: string): Promise<Broker> {
    const answer = await this.kafkaClient.findCoordinatorV4.api.async(
      await this.#anyConnection(),
      GROUP_KEY,
      [group],
    );
    const [found] = answer.coordinators;
    if (found === undefined) throw new this.kafkaClient.ProtocolError("COORDINATOR_NOT_AVAILABLE");
    return { host: found.host, port: found.port };
  }

  /** What is known may be of yesterday; after a silence the connections as well, on which a late answer would be taken for another's. */
  async #forget(isUnanswered: boolean): Promise<void> {
    this.#leaders.clear();
    this.#coordinators.clear();
    if (!isUnanswered) return;
    const before = this.#pool;
    this.#pool = this.#newPool();
    await cutOff(before);
  }

  #newPool(): ConnectionPool {
    const { security, timeoutMs } = this.#options;
    const { tls, sasl } = security;
    const pool = new this.kafkaClient.ConnectionPool(CLIENT_ID, {
      connectTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      ...(tls === undefined ? {} : { tls, tlsServerName: !brokersByNumber(this.#options.address) }),
      ...(sasl === undefined ? {} : { sasl }),
    });
    return pool;
  }
}

/** What is amiss with one topic is no failure of the request: the others are there. */
function partial(error: unknown) {
  if (error instanceof Error && "response" in error && isMetadata(error.response)) return error.response;
  throw error;
}

type Metadata = Awaited<ReturnType<Library["metadataV12"]["api"]["async"]>>;

function isMetadata(response: unknown): response is Metadata {
  return response !== null && typeof response === "object" && "brokers" in response;
}

/** All that was asked has its answer, or never gets one: nothing is waited for that a peer would have to take. */
async function cutOff(pool: ConnectionPool): Promise<void> {
  for (const [, connection] of pool) connection.socket?.destroy();
  await pool.close().catch(() => undefined);
}

/** A name is what TLS asks for; a number is none (RFC 6066). */
function brokersByNumber({ brokers }: ClusterAddress): boolean {
  return brokers.some(({ host }) => isIP(host) !== 0);
}

/** A broker that wants a login answers the first question, and ends the connection at the next one. */
function otherSecurityWanted(error: unknown, { tls, sasl }: Security): unknown {
  if (!(error instanceof CliError) || error.code !== "CONNECTION" || sasl !== undefined) return error;
  if (isRefusedFailure(error)) return error;
  if (tls !== undefined)
    return new CliError("CONNECTION", error.message, {
      hint: "does that port speak TLS, and does ssl.ca.location name who has signed its certificate? See security.protocol in the file of --kafka-config",
    });
  return new CliError("CONNECTION", `${error.message}; it speaks Kafka's protocol, and wants a login first`, {
    hint: "--kafka-config FILE names a file with security.protocol, sasl.mechanism, sasl.username and sasl.password",
  });
}
