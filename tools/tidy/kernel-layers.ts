/** Inside the kernel, and inside its log: layers that only look down. */
import { importsOf } from "./imports.ts";
import type { Rule } from "./workspace.ts";

interface LayeredFolder {
  readonly name: string;
  readonly path: string;
  /** From the ground up; a folder may import itself and what stands before it. */
  readonly layers: readonly string[];
  /** Of the files beside the folders: these see everything. The others are ground for all, and see no folder. */
  isRoof(fileName: string): boolean;
}

const KERNEL: LayeredFolder = {
  name: "the kernel",
  path: "packages/core/src/",
  layers: ["env", "log", "replica", "coordinator", "offsets", "group", "transaction", "cluster"],
  isRoof: (fileName) => ["index.ts", "testing.ts"].includes(fileName) || fileName.endsWith(".test.ts"),
};

const LOG: LayeredFolder = {
  name: "the log",
  path: "packages/core/src/log/",
  layers: [
    "context",
    "files",
    "frames",
    "indexes",
    "segment",
    "producers",
    "manifest",
    "lookup",
    "parts",
    "cutting",
    "compaction",
    "foresight",
    "inspection",
  ],
  isRoof: () => true,
};

const GROUND = -1;

/** A layer's height; null for a folder that is not in the list. */
function heightOf(path: string, { path: root, layers, isRoof }: LayeredFolder): number | null {
  const inside = path.slice(root.length);
  const slash = inside.indexOf("/");
  if (slash === -1) return isRoof(inside) ? layers.length : GROUND;
  const height = layers.indexOf(inside.slice(0, slash));
  return height === -1 ? null : height;
}

function looksDown(folder: LayeredFolder): Rule {
  const order = folder.layers.join(" < ");
  return (workspace) =>
    importsOf(workspace).flatMap(({ from, line, specifier, target }) => {
      if (!from.startsWith(folder.path) || target === null || !target.startsWith(folder.path)) return [];
      const [own, other] = [heightOf(from, folder), heightOf(target, folder)];
      if (own === null || other === null) {
        return [
          `${from}:${line}: ${specifier}: a folder of ${folder.name} has no place among its layers (${order})`,
        ];
      }
      if (other <= own) return [];
      return [`${from}:${line}: ${specifier} looks up; the layers are ${order}. Move it down, or hand it in`];
    });
}

export const kernelLooksDown: Rule = looksDown(KERNEL);
export const logLooksDown: Rule = looksDown(LOG);
