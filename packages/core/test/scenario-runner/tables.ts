/** Tables as `minikafka-cli` prints them. */

export type Cell = string | number | null | undefined;

export function table(headers: string, rows: readonly (readonly Cell[])[]): string[] {
  if (rows.length === 0) return [];
  const shown = (cell: Cell) => (cell === null || cell === undefined || cell === "" ? "-" : String(cell));
  const lines = [headers.split(" "), ...rows.map((row) => row.map(shown))];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
