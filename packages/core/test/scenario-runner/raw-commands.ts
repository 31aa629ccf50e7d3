/**
 * `raw`: requests as they go over the wire, where the command line has no command: what a client library asks for by itself.
 * An answer is shown by its facts, `name=value`, and partitions by their names.
 */
import { encodeBatch } from "@minikafka/record";
import type { MemberView } from "../../src/group/group-requests.ts";
import type { TopicPartition } from "../../src/replica/topic-partition.ts";
import { placesText } from "./group-commands.ts";
import type { Command, Stage } from "./stage.ts";

type Facts = Readonly<Record<string, string | number | boolean>>;

interface Operation {
  /** The fields that it may have. */
  readonly fields: string;
  readonly answer: (stage: Stage, request: Request) => Promise<Facts> | Facts;
}

export const RAW_COMMANDS: Readonly<Record<string, Command>> = {
  "raw <request>": async ({ stage, given, print }) => {
    const request = new Request(JSON.parse(given.required("request")));
    const name = request.text("operation");
    const operation = OPERATIONS[name];
    if (operation === undefined) throw new Error(`a scenario has no operation ${name}`);
    request.requireOnly(`operation ${operation.fields}`.split(" "));
    const facts = await operation.answer(stage, request);
    print(["ok", ...Object.entries(facts).map(([fact, value]) => `${fact}=${value}`)].join(" "));
  },
};

/** A request's fields. Each is asked for by its type; what is not there is a mistake of the scenario. */
class Request {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  requireOnly(names: readonly string[]): void {
    const other = Object.keys(this.#fields).find((name) => !names.includes(name));
    if (other !== undefined) throw new Error(`${this.text("operation")} has no field ${other}`);
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value !== "string") throw new Error(`${name} is missing, or no text`);
    return value;
  }

  number(name: string): number {
    const value = this.#fields[name];
    if (typeof value !== "number") throw new Error(`${name} is missing, or no number`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#fields[name];
    if (typeof value !== "boolean") throw new Error(`${name} is missing, or neither true nor false`);
    return value;
  }

  list<Item>(name: string): readonly Item[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) throw new Error(`${name} is missing, or no list`);
    return value;
  }

  get member() {
    return { groupId: this.text("group_id"), memberId: this.text("member_id") };
  }

  get producer() {
    return { producerId: this.number("producer_id"), producerEpoch: this.number("producer_epoch") };
  }

  /** Who commits offsets, and which. */
  get commit() {
    const offsets = this.list<TopicPartition & { offset: number }>("offsets").map((each) => ({
      ...each,
      metadata: null,
    }));
    const { groupId } = { groupId: this.text("group_id") };
    const member = this.has("member_id")
      ? { memberId: this.text("member_id"), generation: this.number("generation") }
      : null;
    return { groupId, member, offsets };
  }
}

const PRODUCER = "producer_id producer_epoch";
const COMMIT = "group_id member_id generation offsets";

const OPERATIONS: Readonly<Record<string, Operation>> = {
  init_producer: {
    fields: `name transactional_id ${PRODUCER}`,
    answer: async ({ cluster }, request) => {
      const current = request.has("producer_id") ? { current: request.producer } : {};
      const name = request.has("name") ? { name: request.text("name") } : {};
      const identity = request.has("transactional_id")
        ? await cluster.transactions.init({ transactionalId: request.text("transactional_id"), ...current })
        : cluster.initProducer({ ...name, ...current });
      return { producer_id: identity.producerId, producer_epoch: identity.producerEpoch };
    },
  },
  produce: { fields: `topic value_b64 acks transactional_id ${PRODUCER} base_sequence`, answer: produce },
  begin_transaction: {
    fields: `transactional_id ${PRODUCER}`,
    answer: async ({ cluster }, request) => {
      await cluster.transactions.begin({
        transactionalId: request.text("transactional_id"),
        ...request.producer,
      });
      return {};
    },
  },
  send_offsets: {
    fields: `transactional_id ${PRODUCER} ${COMMIT}`,
    answer: async ({ cluster }, request) => {
      const transactionalId = request.text("transactional_id");
      await cluster.transactions.sendOffsets({ transactionalId, ...request.producer, ...request.commit });
      return {};
    },
  },
  end_transaction: {
    fields: `transactional_id ${PRODUCER} commit`,
    answer: async ({ cluster }, request) => {
      const caller = { transactionalId: request.text("transactional_id"), ...request.producer };
      const next = await cluster.transactions.end({ ...caller, commit: request.flag("commit") });
      return { producer_id: next.producerId, producer_epoch: next.producerEpoch };
    },
  },
  join_group: {
    fields: "group_id member_id topics",
    answer: async ({ cluster }, request) => {
      const topics = request.list<string>("topics");
      return memberFacts(await cluster.groups.join({ ...request.member, topics, assignor: "roundrobin" }));
    },
  },
  heartbeat: {
    fields: "group_id member_id generation owned",
    answer: async ({ cluster }, request) => {
      const owned = request.has("owned") ? { owned: request.list<TopicPartition>("owned") } : {};
      const generation = request.number("generation");
      return memberFacts(await cluster.groups.heartbeat({ ...request.member, generation, ...owned }));
    },
  },
  group_assignment: {
    fields: "group_id member_id",
    answer: async ({ cluster }, request) => memberFacts(await cluster.groups.assignment(request.member)),
  },
  leave_group: {
    fields: "group_id member_id",
    answer: async ({ cluster }, request) => {
      const { generation } = await cluster.groups.leave(request.member);
      return { generation };
    },
  },
  commit_offsets: {
    fields: COMMIT,
    answer: async ({ cluster }, request) => {
      await cluster.groups.commit(request.commit);
      return {};
    },
  },
};

async function produce({ cluster, clock }: Stage, request: Request): Promise<Facts> {
  const place = { topic: request.text("topic"), partition: 0 };
  const value = Buffer.from(request.text("value_b64"), "base64");
  const records = [{ key: null, value, timestampMs: clock.nowMs(), headers: [] }];
  const transactional = request.has("transactional_id");
  const sequence = { ...request.producer, baseSequence: request.number("base_sequence") };
  const frame = encodeBatch({ records, ...sequence, transactional });
  const appended = transactional
    ? await cluster.transactions.append(place, frame, { transactionalId: request.text("transactional_id") })
    : await cluster.appendBatch(place, frame, { acks: request.has("acks") ? "all" : 1 });
  const { baseOffset, nextOffset, duplicate } = appended;
  return { partition: 0, offset: baseOffset, next_offset: nextOffset, ...(duplicate ? { duplicate } : {}) };
}

function memberFacts({ generation, assignment, pending }: MemberView): Facts {
  return { generation, assignment: placesText(assignment) || "-", pending: placesText(pending) || "-" };
}
