/** Versions of a message, as text: "3+", "0-12", "5". */
export type VersionText = `${number}` | `${number}+` | `${number}-${number}`;

export interface VersionRange {
  readonly from: number;
  /** Inclusive; Infinity for "from … on". */
  readonly to: number;
}

export const ALL_VERSIONS: VersionRange = { from: 0, to: Number.POSITIVE_INFINITY };

export function versionRange(text: VersionText): VersionRange {
  const parts = /^(\d+)(?:(\+)|-(\d+))?$/.exec(text);
  if (parts === null) throw new TypeError(`"${text}" names no versions; write 3+, 0-12 or 5`);
  const from = Number(parts[1]);
  if (parts[2] === "+") return { from, to: Number.POSITIVE_INFINITY };
  const to = Number(parts[3] ?? from);
  if (to < from) throw new TypeError(`"${text}" ends before it begins`);
  return { from, to };
}

export function isWithin(version: number, { from, to }: VersionRange): boolean {
  return from <= version && version <= to;
}
