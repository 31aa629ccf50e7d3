/** A producer of transactions on a bare session: what it is, and what it asks. */
import { type Answer, base64, type Session } from "./broker.ts";

export interface Identity {
  readonly producer_id: number;
  readonly producer_epoch: number;
}

const PLACE = { topic: "orders", partition: 0 };

export class TransactionalSession {
  readonly session: Session;
  readonly id: string;
  identity: Identity;
  /** Of the next record, by partition. */
  #sequences = new Map<string, number>();

  private constructor(session: Session, id: string, identity: Identity) {
    this.session = session;
    this.id = id;
    this.identity = identity;
  }

  static async open(session: Session, id = "billing", fields: object = {}): Promise<TransactionalSession> {
    const answer = await session.call("init_producer", { transactional_id: id, ...fields });
    const { producer_id, producer_epoch } = answer;
    return new TransactionalSession(session, id, { producer_id, producer_epoch });
  }

  /** What each of its requests says of itself. */
  get who(): { transactional_id: string } & Identity {
    return { transactional_id: this.id, ...this.identity };
  }

  begin(): Promise<object> {
    return this.session.call("begin_transaction", this.who);
  }

  /** The fields of a produce, for records of the next sequences. */
  produceFields(values: readonly string[], place = PLACE): object {
    const where = `${place.topic}-${place.partition}`;
    const base_sequence = this.#sequences.get(where) ?? 0;
    this.#sequences.set(where, base_sequence + values.length);
    const records = values.map((value) => ({ value_b64: base64(value) }));
    return { ...place, ...this.who, base_sequence, records, acks: "all" };
  }

  produce(...values: string[]): Promise<{ readonly offset: number | null }> {
    return this.session.call("produce", this.produceFields(values));
  }

  /** Ends it and goes on with the identity for the next one. */
  async end(commit: boolean): Promise<Identity> {
    const ended = await this.session.call("end_transaction", { ...this.who, commit });
    this.identity = { producer_id: ended.producer_id, producer_epoch: ended.producer_epoch };
    this.#sequences = new Map();
    return this.identity;
  }

  /** A whole transaction of these records. */
  async transact(commit: boolean, ...values: string[]): Promise<void> {
    await this.begin();
    await this.produce(...values);
    await this.end(commit);
  }
}

export async function fetched(session: Session, fields: object = {}): Promise<Answer> {
  return session.call("fetch", { ...PLACE, offset: 0, ...fields });
}

/** The values of what a fetch shows. */
export async function values(session: Session, fields: object = {}): Promise<string[]> {
  const { records } = await fetched(session, fields);
  return (records as { value_b64: string }[]).map(({ value_b64: text }) =>
    Buffer.from(text, "base64").toString(),
  );
}

export const COMMITTED = { isolation: "read_committed" };
