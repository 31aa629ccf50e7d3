/** Which protocol a group goes by (Kafka: ClassicGroup.selectProtocol, supportsProtocols). Pure. */
import { assert } from "../../assert.ts";
import type { ClassicGroup, ClassicMember, MemberProtocol } from "./classic-state.ts";

/** Names that every one of `members` supports. */
function commonTo(members: Iterable<ClassicMember>): ReadonlySet<string> {
  const [first, ...others] = members;
  const names = (first?.protocols ?? []).map(({ name }) => name);
  const supports = (member: ClassicMember, name: string) =>
    member.protocols.some((protocol) => protocol.name === name);
  return new Set(names.filter((name) => others.every((member) => supports(member, name))));
}

/** Each member votes for the first of its own that all support; of two with as many votes the first that got one. */
export function chosenProtocol({ groupId, members }: Pick<ClassicGroup, "groupId" | "members">): string {
  const common = commonTo(members.values());
  const votes = new Map<string, number>();
  for (const { protocols } of members.values()) {
    const first = protocols.find(({ name }) => common.has(name));
    if (first !== undefined) votes.set(first.name, (votes.get(first.name) ?? 0) + 1);
  }
  const most = Math.max(...votes.values());
  const [chosen] = [...votes].find(([, count]) => count === most) ?? [];
  assert(chosen !== undefined, `the members of ${groupId} have no protocol in common`);
  return chosen;
}

/** Whether who joins so has one in common with all who are there. An empty group takes any. */
export function isProtocolSupported(
  { state, protocolType, members }: ClassicGroup,
  joining: { readonly protocolType: string; readonly protocols: readonly MemberProtocol[] },
): boolean {
  if (joining.protocolType === "" || joining.protocols.length === 0) return false;
  if (state === "dead" || state === "empty") return true;
  if (joining.protocolType !== protocolType) return false;
  const common = commonTo(members.values());
  return joining.protocols.some(({ name }) => common.has(name));
}

/** The same names with the same bytes in the same order. */
export function areSameProtocols(one: readonly MemberProtocol[], other: readonly MemberProtocol[]): boolean {
  if (one === other) return true;
  return (
    one.length === other.length &&
    one.every(({ name, metadata }, index) => {
      const its = other[index];
      return its !== undefined && its.name === name && its.metadata.equals(metadata);
    })
  );
}

/** What a member says for the protocol that was chosen. */
export function metadataFor({ protocols }: ClassicMember, protocol: string | null): Buffer {
  return protocols.find(({ name }) => name === protocol)?.metadata ?? Buffer.alloc(0);
}
