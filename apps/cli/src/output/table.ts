/** Tables for people who pipe them into grep and awk: capital headers, two spaces between columns, no lines drawn. */
import { printable } from "./printable.ts";

export type Cell = string | number | null;

/** A cell is never empty, or the columns after it would shift for awk; nor does it end its line or colour it. */
function shown(cell: Cell | undefined): string {
  return cell === null || cell === undefined || cell === "" ? "-" : printable(String(cell));
}

/** The table as text, each line ended by a newline; nothing when there are no rows, so that no output means none. */
export function renderTable(headers: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return "";
  const lines = [headers, ...rows].map((row) => headers.map((_, column) => shown(row[column])));
  const widths = headers.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => {
      const padded = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      return `${padded.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** `NAME  value` lines, for one thing with many properties. */
export function renderFacts(facts: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}\n`).join("");
}
