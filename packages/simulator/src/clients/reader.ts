/** A consumer that belongs to no group: it reads every partition of the topics that it knows, from the start, as far as it comes. */
import type { TopicPartition } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { Isolation } from "../history/history.ts";
import type { Answer } from "../network/connection.ts";
import { placeName } from "../world/topics.ts";
import { Client, type ClientWorld, codeOf, isInDoubt } from "./client.ts";
import { seenIn } from "./wire-records.ts";

interface Position {
  offset: number;
  /** Of how many resets. */
  row: number;
}

export interface Polled {
  readonly place: TopicPartition;
  readonly records: number;
  /** Where it goes on; `null` when it was told nothing. */
  readonly nextOffset: number | null;
}

/** One fetch, written down; what it gives goes through `seenIn`. */
export async function poll(
  client: Client,
  world: ClientWorld,
  asked: {
    place: TopicPartition;
    reader: string;
    isolation: Isolation;
    fromOffset: number;
    bytesMax: number;
  },
) {
  const { place, reader, isolation, fromOffset, bytesMax } = asked;
  const fields = { reader, place: placeName(place), isolation, fromOffset };
  const recorded = world.recorder.asked("poll", client.name, fields);
  const answer = await client.connection.ask((cluster) => {
    const fetched = cluster.fetch(place, fromOffset, { bytesMax, isolation });
    const { nextOffset, logStartOffset, highWatermark, lastStableOffset } = fetched;
    const records = seenIn(fetched, fromOffset, isolation);
    return { records, nextOffset, logStartOffset, highWatermark, lastStableOffset };
  });
  if (answer.kind === "ok") recorded.ok(answer.value);
  else recorded.failed(codeOf(answer));
  return answer;
}

export class Reader extends Client {
  readonly #isolation: Isolation;
  readonly #positions = new Map<string, Position>();
  #underWay = 0;

  constructor(name: string, world: ClientWorld, luck: Chance, isolation: Isolation) {
    super(name, world, luck);
    this.#isolation = isolation;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  read(place: TopicPartition): void {
    void this.readOnce(place);
  }

  /** Whether there may be more. */
  async readOnce(place: TopicPartition): Promise<boolean> {
    if (this.#underWay > 0) return true;
    this.#underWay++;
    const position = this.#positionOf(place);
    const bytesMax = this.luck.percent(30) ? 1 + this.luck.below(300) : 1 << 20;
    const reader = `${this.name}.${position.row}`;
    const isolation = this.#isolation;
    const fromOffset = position.offset;
    const answer = await poll(this, this.world, { place, reader, isolation, fromOffset, bytesMax });
    const hasMore =
      answer.kind === "ok" ? answer.value.nextOffset > fromOffset : await this.#recover(place, answer);
    if (answer.kind === "ok") position.offset = answer.value.nextOffset;
    this.#underWay--;
    return hasMore;
  }

  /** Commits where it is, for a group that it is no member of. */
  commitAsOutsider(groupId: string, place: TopicPartition): void {
    const { offset } = this.#positionOf(place);
    const offsets = [{ place: placeName(place), offset }];
    const recorded = this.world.recorder.asked("commit", this.name, { groupId, member: null, offsets });
    const request = { groupId, member: null, offsets: [{ ...place, offset, metadata: null }] };
    void this.connection
      .ask((cluster, wait) => cluster.groups.commit(request, wait))
      .then((answer) => {
        if (answer.kind === "ok") recorded.ok({});
        else if (isInDoubt(answer)) recorded.unknown(codeOf(answer));
        else recorded.failed(codeOf(answer));
      });
  }

  async #recover(place: TopicPartition, answer: Answer<unknown>): Promise<boolean> {
    if (answer.kind === "lost") return true;
    if (answer.kind === "refused" && answer.code === "OFFSET_OUT_OF_RANGE") {
      const begins = await this.connection.ask((cluster) => cluster.listOffsets(place, -2));
      if (begins.kind === "ok") {
        const { row } = this.#positionOf(place);
        this.#positions.set(placeName(place), { offset: begins.value.offset ?? 0, row: row + 1 });
      }
      return true;
    }
    return !(answer.kind === "refused" && answer.code === "UNKNOWN_TOPIC");
  }

  #positionOf(place: TopicPartition): Position {
    const name = placeName(place);
    const known = this.#positions.get(name) ?? { offset: 0, row: 0 };
    this.#positions.set(name, known);
    return known;
  }
}
