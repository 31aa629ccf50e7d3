/** A member's name where its owner gives none: one that no other process, and no later run of this one, uses as well. */
export function newMemberId(): string {
  return `consumer-${crypto.randomUUID()}`;
}
