/** No file needs itself, by whatever detour. Types count: who reads a circle has to read all of it at once. */
import { importsOf } from "./imports.ts";
import type { Rule } from "./workspace.ts";

type Graph = ReadonlyMap<string, readonly string[]>;

/** A circle through files not yet known to be free of one; null when there is none from `start`. */
function circleFrom(start: string, graph: Graph, free: Set<string>): string[] | null {
  const path: string[] = [];
  const visit = (file: string): string[] | null => {
    const seenAt = path.indexOf(file);
    if (seenAt !== -1) return [...path.slice(seenAt), file];
    if (free.has(file)) return null;
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const circle = visit(next);
      if (circle !== null) return circle;
    }
    path.pop();
    free.add(file);
    return null;
  };
  return visit(start);
}

/** One circle at a time is shown: breaking it often breaks others. */
export const noImportCycles: Rule = (workspace) => {
  const graph = new Map<string, string[]>();
  for (const { from, target } of importsOf(workspace)) {
    if (target !== null) graph.set(from, [...(graph.get(from) ?? []), target]);
  }
  const free = new Set<string>();
  for (const file of graph.keys()) {
    const circle = circleFrom(file, graph, free);
    if (circle !== null) return [`a circle of imports: ${circle.join(" → ")}; take out what both need`];
  }
  return [];
};
