/** Paths in a tree of files and folders in memory: what lies at one, or how a disk refuses it. */
import { posix } from "node:path";
import { assert } from "../assert.ts";
import { DiskError, type DiskOperationName } from "./disk.ts";
import type { MemoryFolder, MemoryNode } from "./memory-nodes.ts";

/** Every file and folder with its path. */
export function walkTree(folder: MemoryFolder, path = "/"): [string, MemoryNode][] {
  const below = [...folder.entries()].flatMap(([name, node]): [string, MemoryNode][] => {
    const entryPath = posix.join(path, name);
    return node.kind === "file" ? [[entryPath, node]] : walkTree(node, entryPath);
  });
  return [[path, folder], ...below];
}

/** The folder that `path` is an entry of, and its name there. */
export function placeOf(
  root: MemoryFolder,
  operation: DiskOperationName,
  path: string,
): { folder: MemoryFolder; name: string } {
  const name = posix.basename(path);
  assert(name !== "", "the root folder has no name");
  return { folder: folderAt(root, operation, posix.dirname(path), path), name };
}

/** `asked`: what a refusal is about. */
export function folderAt(
  root: MemoryFolder,
  operation: DiskOperationName,
  path: string,
  asked = path,
): MemoryFolder {
  const node = findNode(root, path);
  if (node === null) throw new DiskError(operation, asked, isBelowFile(root, path) ? "ENOTDIR" : "ENOENT");
  if (node.kind === "file") throw new DiskError(operation, asked, "ENOTDIR");
  return node;
}

function isBelowFile(root: MemoryFolder, path: string): boolean {
  const parent = posix.dirname(path);
  return parent !== path && (findNode(root, parent)?.kind === "file" || isBelowFile(root, parent));
}

export function findNode(root: MemoryFolder, path: string): MemoryNode | null {
  assert(posix.isAbsolute(path), `a memory disk takes absolute paths, not ${path}`);
  let node: MemoryNode = root;
  for (const name of posix.normalize(path).split("/")) {
    if (name === "") continue;
    const next: MemoryNode | undefined = node.kind === "folder" ? node.get(name) : undefined;
    if (next === undefined) return null;
    node = next;
  }
  return node;
}
