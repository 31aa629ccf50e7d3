/** How the marks of some faults begin: as those of no others, of this program or another. No chance that a caller gives its client is in them. */
export function newMarkStart(): string {
  return `${crypto.randomUUID()}.`;
}
