/**
 * Who leads a partition, and who may follow. This is what the metadata file keeps of it (Kafka: PartitionRegistration), so
 * that no answer ever rests on what a restart could forget.
 */
export interface PartitionState {
  /** `null` when nobody may lead: every in-sync replica has lost records. Only an operator ends that (KIP-966). */
  readonly leaderId: number | null;
  /** Rises with each leadership, and when a leader comes back from an unclean end (KIP-101). */
  readonly leaderEpoch: number;
  /** The leader's log end offset when its epoch began. Whoever is to be in sync must have reached it. */
  readonly leaderEpochStartOffset: number;
  /** The in-sync replicas (Kafka: ISR), in the order of placement: those that hold everything below the high watermark. */
  readonly inSyncReplicas: readonly number[];
  /** Followers that an operator took out, and that stay out until they rejoin, in the order of placement; left out for none. */
  readonly heldOut?: readonly number[];
  /**
   * Replicas of which leader epochs do not tell what a compaction has left of them: found with a folder which had been put back, made
   * anew by a rejoin, or left behind by an unclean promotion, and not in sync since. In the order of placement; left out for none. In a compacted topic they are
   * copied anew (docs/decisions/0012).
   */
  readonly copyAnew?: readonly number[];
  /** What lies below was deleted by hand, and never comes back, whatever a folder holds; left out for nothing. */
  readonly deletedBefore?: number;
}

/** Of a partition that was just made on `replicas`. */
export function newPartitionState(replicas: readonly number[]): PartitionState {
  return {
    leaderId: replicas[0] ?? null,
    leaderEpoch: 0,
    leaderEpochStartOffset: 0,
    inSyncReplicas: replicas,
  };
}

/** Why the parts of `state` do not fit each other and the brokers that hold a copy, or `null`. */
export function stateProblem(state: PartitionState, replicas: readonly number[]): string | null {
  const { leaderId, inSyncReplicas, heldOut = [], copyAnew = [] } = state;
  if (replicas.length === 0) return "there are no replicas";
  if (new Set(replicas).size < replicas.length) return `replicas ${replicas.join(", ")} name one twice`;
  const expected = replicas.filter((brokerId) => inSyncReplicas.includes(brokerId));
  if (expected.join() !== inSyncReplicas.join())
    return `in sync are ${inSyncReplicas.join(", ")}, expected some of the replicas ${replicas.join(", ")}, in their order`;
  if (leaderId !== null && !inSyncReplicas.includes(leaderId))
    return `the leader ${leaderId} is not among the in-sync replicas ${inSyncReplicas.join(", ")}`;
  for (const [what, ids] of [
    ["held out", heldOut],
    ["to be copied anew", copyAnew],
  ] as const) {
    const absent = replicas.filter((id) => ids.includes(id) && !inSyncReplicas.includes(id));
    if (absent.join() !== ids.join())
      return `${what} are ${ids.join(", ")}, expected some of the replicas ${replicas.join(", ")} that are not in sync, in their order`;
  }
  return null;
}

export function sameState(one: PartitionState, other: PartitionState): boolean {
  return (
    one.leaderId === other.leaderId &&
    one.leaderEpoch === other.leaderEpoch &&
    one.leaderEpochStartOffset === other.leaderEpochStartOffset &&
    one.inSyncReplicas.join() === other.inSyncReplicas.join() &&
    (one.heldOut ?? []).join() === (other.heldOut ?? []).join() &&
    (one.copyAnew ?? []).join() === (other.copyAnew ?? []).join() &&
    one.deletedBefore === other.deletedBefore
  );
}

/**
 * The same for a leader whose log ends at `logEndOffset`. One that ends below what was deleted holds nothing that may be read, and what
 * it writes next was not deleted.
 */
export function deletedWithin(state: PartitionState, logEndOffset: number): PartitionState {
  const { deletedBefore = 0 } = state;
  return deletedBefore <= logEndOffset ? state : { ...state, deletedBefore: logEndOffset };
}

/** The same, when `found` of the `replicas` are to be copied anew besides. Who is in sync holds what counts. */
export function withCopyAnew(
  state: PartitionState,
  replicas: readonly number[],
  found: readonly number[] = [],
): PartitionState {
  const { copyAnew = [], ...rest } = state;
  const isDue = (id: number) => found.includes(id) || copyAnew.includes(id);
  const out = replicas.filter((id) => isDue(id) && !state.inSyncReplicas.includes(id));
  return out.length === 0 ? rest : { ...rest, copyAnew: out };
}

/** The same, with `brokerId` no longer held out. */
export function released(state: PartitionState, brokerId: number): PartitionState {
  const { heldOut = [], ...rest } = state;
  const left = heldOut.filter((id) => id !== brokerId);
  return left.length === 0 ? rest : { ...rest, heldOut: left };
}
