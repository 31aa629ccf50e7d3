/** What consumers of a group do with the partitions that they own: find out where to go on, and fetch. */
import type { Isolation, SeenRecord } from "../history/history.ts";
import { placeName } from "../world/topics.ts";
import { type Client, codeOf, isInDoubt } from "./client.ts";
import type { Membership, Owned } from "./membership.ts";
import { poll } from "./reader.ts";

/** Finds out where to go on wherever that is unknown. Resolves with false when the group could not be asked. */
export async function findPositions(client: Client, membership: Membership): Promise<boolean> {
  const unknown = [...membership.owned.values()].filter(({ position }) => position === null);
  if (unknown.length === 0) return true;
  const { groupId } = membership.options;
  const partitions = unknown.map(({ place }) => place);
  const recorded = client.world.recorder.asked("read_offsets", client.name, { groupId });
  const { answer, attempts } = await client.insist(
    (cluster, wait) => cluster.groups.committed({ groupId, partitions, requireStable: true }, wait),
    { attemptsMax: 5 },
  );
  if (answer.kind !== "ok") {
    recorded.failed(codeOf(answer), attempts);
    return false;
  }
  const offsets = answer.value.map((each) => ({ place: placeName(each), offset: each.offset }));
  recorded.ok({ offsets }, attempts);
  for (const [index, owned] of unknown.entries()) {
    const offset = answer.value[index]?.offset ?? null;
    // It may have been given away meanwhile.
    if (membership.owned.get(placeName(owned.place)) !== owned) continue;
    if (offset !== null) membership.seek(owned, offset);
    else await seekToBound(client, membership, owned);
  }
  return true;
}

/** Resolves with what was read; `null` when nothing could be. */
export async function readOwned(
  client: Client,
  membership: Membership,
  owned: Owned,
  { isolation, bytesMax }: { isolation: Isolation; bytesMax: number },
): Promise<readonly SeenRecord[] | null> {
  const { place, reader, position } = owned;
  if (position === null) return null;
  const asked = { place, reader, isolation, fromOffset: position, bytesMax };
  const answer = await poll(client, client.world, asked);
  if (owned.reader !== reader) return null;
  if (answer.kind === "ok") {
    owned.position = answer.value.nextOffset;
    return answer.value.records;
  }
  if (answer.kind === "refused" && answer.code === "OFFSET_OUT_OF_RANGE")
    await seekToBound(client, membership, owned);
  return null;
}

/** Resolves with whether it was acknowledged. */
export async function commitPositions(
  client: Client,
  membership: Membership,
  owned: readonly Owned[],
  attemptsMax = 3,
): Promise<boolean> {
  const offsets = owned.flatMap(({ place, topicId, position }) =>
    position === null ? [] : [{ ...place, topicId, offset: position, metadata: null }],
  );
  if (offsets.length === 0) return true;
  const { groupId } = membership.options;
  const member = membership.committer;
  const placed = offsets.map((each) => ({ place: placeName(each), offset: each.offset }));
  const recorded = client.world.recorder.asked("commit", client.name, { groupId, member, offsets: placed });
  const { answer, attempts, isDoubtful } = await client.insist(
    (cluster, wait) => cluster.groups.commit({ groupId, member, offsets }, wait),
    { attemptsMax },
  );
  if (answer.kind === "ok") recorded.ok({}, attempts);
  else if (isDoubtful || isInDoubt(answer)) recorded.unknown(codeOf(answer), attempts);
  else recorded.failed(codeOf(answer), attempts);
  return answer.kind === "ok";
}

/** To the first record; one that was beyond the end, since what it had read is lost, goes on at the end (KIP-320). */
async function seekToBound(client: Client, membership: Membership, owned: Owned): Promise<void> {
  const { position, place } = owned;
  const answer = await client.connection.ask((cluster) => {
    const start = cluster.listOffsets(place, -2).offset ?? 0;
    return { start, end: cluster.visibleEnd(place) };
  });
  if (answer.kind !== "ok" || membership.owned.get(placeName(place)) !== owned) return;
  const { start, end } = answer.value;
  membership.seek(owned, position !== null && position > end ? end : start);
}
