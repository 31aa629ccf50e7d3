/** A daemon that Kafka's clients reach, kafkajs for it without a log of its own, and the SDK beside them. */
import { type Client, connect } from "@minikafka/client";
import kafkajs, {
  type Consumer,
  type ConsumerConfig,
  type EachMessagePayload,
  type Kafka,
  type KafkaConfig,
  type KafkaMessage,
} from "kafkajs";
import { onTestFinished } from "vitest";
import { type Daemon, startDaemon, temporaryFolder } from "./daemon.ts";

export interface KafkaWorld {
  readonly daemon: Daemon;
  readonly kafka: Kafka;
  readonly client: Client;
}

/** `data` names the folder of a daemon that was here before. */
export async function kafkaWorld(
  arguments_: readonly string[] = [],
  data = temporaryFolder(),
): Promise<KafkaWorld> {
  const daemon = await startDaemon(data, ["--kafka-port", "0", "--log-level", "error", ...arguments_]);
  const client = await connect({ port: daemon.port }, { requestTimeoutMs: 10_000 });
  onTestFinished(() => client.close().catch(() => {}));
  return { daemon, kafka: kafkaOf(daemon), client };
}

export function addressesOf({ kafka }: Daemon): string[] {
  return kafka.map(({ host, port }) => `${host}:${port}`);
}

/** What a client waits for between attempts is here at once. */
const RETRY = { initialRetryTime: 20, maxRetryTime: 200, retries: 50 };

export function kafkaOf(daemon: Daemon, options: Partial<KafkaConfig> = {}): Kafka {
  return new kafkajs.Kafka({
    clientId: "e2e",
    brokers: addressesOf(daemon),
    logLevel: kafkajs.logLevel.NOTHING,
    retry: RETRY,
    ...options,
  });
}

/** Connected, and closed when the test is over. */
export async function opened<Part extends { connect(): Promise<void>; disconnect(): Promise<void> }>(
  part: Part,
): Promise<Part> {
  onTestFinished(() => part.disconnect().catch(() => {}));
  await part.connect();
  return part;
}

export type ReadMessage = KafkaMessage & { readonly topic: string; readonly partition: number };

export interface MemberOptions extends Partial<ConsumerConfig> {
  readonly topic: string;
  readonly fromBeginning?: boolean;
  readonly autoCommit?: boolean;
  /** What each message is held up by, once it is noted. */
  readonly work?: () => Promise<void>;
}

/** A kafkajs consumer that beats and fetches quickly, with all that it was handed. */
export class Member {
  readonly messages: ReadMessage[] = [];
  readonly consumer: Consumer;
  /** The partitions that it has, by the last generation that it joined; `null` before the first. */
  assignment: readonly number[] | null = null;
  /** Generations that it was in. */
  joins = 0;
  /** Heartbeats that were answered. */
  beats = 0;
  readonly #work: () => Promise<void>;
  #wake: () => void = () => {};

  constructor(kafka: Kafka, options: MemberOptions) {
    const {
      topic: _topic,
      fromBeginning: _from,
      autoCommit: _auto,
      work = async () => {},
      ...config
    } = options;
    this.#work = work;
    this.consumer = kafka.consumer({
      groupId: "readers",
      heartbeatInterval: 50,
      maxWaitTimeInMs: 50,
      retry: RETRY,
      ...config,
    });
    const { GROUP_JOIN, HEARTBEAT } = this.consumer.events;
    this.consumer.on(GROUP_JOIN, ({ payload }) => {
      this.assignment = Object.values(payload.memberAssignment).flat().sort();
      this.joins += 1;
      this.#wake();
    });
    this.consumer.on(HEARTBEAT, () => {
      this.beats += 1;
      this.#wake();
    });
  }

  /** Resolves when it is a member of a generation. */
  static async join(kafka: Kafka, options: MemberOptions): Promise<Member> {
    const member = await Member.begin(kafka, options);
    await member.until(() => member.assignment !== null);
    return member;
  }

  /** Resolves as soon as it is on its way into its group, which may have to wait for others. */
  static async begin(kafka: Kafka, options: MemberOptions): Promise<Member> {
    const member = new Member(kafka, options);
    // Not awaited: it waits for a fetch, which may wait for a clock that stands. The end of the daemon ends it.
    onTestFinished(() => void member.consumer.disconnect().catch(() => {}));
    await member.consumer.connect();
    const { topic, fromBeginning = true, autoCommit = true } = options;
    await member.consumer.subscribe({ topics: [topic], fromBeginning });
    void member.consumer.run({ autoCommit, eachMessage: async (payload) => member.#take(payload) });
    return member;
  }

  async #take({ topic, partition, message }: EachMessagePayload): Promise<void> {
    this.messages.push({ ...message, topic, partition });
    this.#wake();
    await this.#work();
  }

  /** Looks whenever something has come, or a heartbeat was answered; the test's own bound ends it. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds())
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  async read(count: number): Promise<ReadMessage[]> {
    await this.until(() => this.messages.length >= count);
    return this.messages;
  }

  get values(): string[] {
    return this.messages.map(({ value }) => `${value}`);
  }
}
