/**
 * How the tables of events write the facts of a kind: names divided by spaces, each a number unless a word behind a colon says what
 * else, and with a question mark where it may be null. The types follow from that text.
 */

/** A replica that joined or left those in sync, with the numbers that made it so, as far as its leader knows them. */
export interface InSyncMoveFact {
  readonly broker_id: number;
  readonly reason: string;
  readonly log_end_offset: number | null;
  readonly last_caught_up_ms?: number | null;
}

/** What a member of a group has, by names such as `orders-0`. */
export interface MemberShareFact {
  readonly member_id: string;
  readonly assignment: readonly string[];
  readonly pending: readonly string[];
  readonly revoking: readonly string[];
}

/** A partition's place in a group; the last two where it was forgotten. */
export interface GroupOffsetFact {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly committed_ms?: number;
  readonly reason?: string;
}

interface FactTypes {
  readonly text: string;
  readonly texts: readonly string[];
  readonly shares: readonly MemberShareFact[];
  readonly offsets: readonly GroupOffsetFact[];
  readonly flag: boolean;
  /** As a client put it into its request. */
  readonly id: string | number;
  /** Of brokers. */
  readonly ids: readonly number[];
  readonly moves: readonly InSyncMoveFact[];
  /** By the broker's names; `null` where the topic's own value was taken back. */
  readonly settings: { readonly [key: string]: string | number | null };
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

type NameOf<Fact extends string> = Fact extends `${infer Name}:${string}`
  ? Name
  : Fact extends `${infer Name}?`
    ? Name
    : Fact;

type TypeOf<Fact extends string> = Fact extends `${infer Present}?`
  ? TypeOf<Present> | null
  : Fact extends `${string}:${infer Type extends keyof FactTypes}`
    ? FactTypes[Type]
    : number;

/** The facts that `Text` names, with their types. */
export type FactsIn<Text extends string> = {
  readonly [Fact in Words<Text> as NameOf<Fact>]: TypeOf<Fact>;
};

/** Their names alone. */
export function factNames(text: string): string[] {
  return text.split(" ").map((fact) => fact.replace(/[:?].*$/, ""));
}
