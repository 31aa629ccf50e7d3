/**
 * Files and folders in memory, each with two faces: what the process sees, and what a power cut would leave.
 *
 * A file keeps its durable bytes and the changes since, a folder its durable names and the changes since; a rename is one
 * change. Between two syncs the device may have done any part of the changes, which is what surviving a crash draws.
 */
import { MemoryBytes } from "./memory-bytes.ts";
import type { Random } from "./random.ts";
import { Unsynced } from "./unsynced.ts";

/**
 * A crash, and what it leaves of what was not synced.
 * - "kept": the process died, the system lives. Everything stays, and stays unsynced.
 * - "lost": the power went, and nothing of it had reached the device.
 * - "torn": the power went. Each file keeps a prefix of its changes, the last write of it cut at some byte; each change of
 *   a name is kept or lost by itself.
 * - "scattered": as "torn", but each 4-KiB page of each write is kept or lost by itself, and a file may have grown over
 *   zeros. No order between writes is promised by a device, and some file systems show it.
 */
export type Crash =
  | { readonly mode: "kept" }
  | { readonly mode: "lost" }
  | { readonly mode: "torn"; readonly random: Random }
  | { readonly mode: "scattered"; readonly random: Random };

const PAGE_BYTES = 4096;

interface Write {
  readonly kind: "write";
  readonly position: number;
  readonly bytes: Uint8Array;
}

interface Truncation {
  readonly kind: "truncate";
  readonly sizeBytes: number;
}

let made = 0;

/** A name for each node that tells it from every other, and that its clones keep. */
function nextIdentity(): string {
  made++;
  return String(made);
}

export class MemoryFile {
  readonly kind = "file";
  readonly identity: string;
  #seen = new MemoryBytes();
  #durable = new MemoryBytes();
  #unsynced = new Unsynced<Write | Truncation>();

  constructor(identity = nextIdentity()) {
    this.identity = identity;
  }

  get sizeBytes(): number {
    return this.#seen.sizeBytes;
  }

  get isSynced(): boolean {
    return this.#unsynced.isEmpty;
  }

  get lastTurn(): number {
    return this.#unsynced.lastTurn;
  }

  read(position: number, lengthBytes: number): Buffer {
    return this.#seen.read(position, lengthBytes);
  }

  write(position: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#change({ kind: "write", position, bytes: Uint8Array.from(bytes) });
  }

  truncate(sizeBytes: number): void {
    if (sizeBytes !== this.sizeBytes) this.#change({ kind: "truncate", sizeBytes });
  }

  finishSync(turn: number): void {
    for (const change of this.#unsynced.takeSynced(turn)) apply(this.#durable, change);
  }

  failSync(turn: number): void {
    this.#unsynced.doubt(turn);
  }

  crash(crash: Crash): void {
    if (crash.mode === "kept") return;
    const changes = this.#unsynced.takeAll();
    if (crash.mode === "torn") this.#keepPrefix(changes, crash.random);
    if (crash.mode === "scattered") this.#keepPages(changes, crash.random);
    this.#seen = this.#durable.clone();
  }

  clone(): MemoryFile {
    const copy = new MemoryFile(this.identity);
    copy.#seen = this.#seen.clone();
    copy.#durable = this.#durable.clone();
    copy.#unsynced = this.#unsynced.clone();
    return copy;
  }

  #change(change: Write | Truncation): void {
    apply(this.#seen, change);
    this.#unsynced.add(change);
  }

  #keepPrefix(changes: readonly (Write | Truncation)[], random: Random): void {
    const whole = random.below(changes.length + 1);
    for (const change of changes.slice(0, whole)) apply(this.#durable, change);
    const last = changes[whole];
    if (last?.kind === "write") {
      this.#durable.write(last.position, last.bytes.subarray(0, random.below(last.bytes.length)));
    }
  }

  #keepPages(changes: readonly (Write | Truncation)[], random: Random): void {
    const sizeBytesSeen = this.sizeBytes;
    for (const change of changes) {
      for (const page of change.kind === "write" ? pagesOf(change) : [change]) {
        if (random.below(2) === 0) apply(this.#durable, page);
      }
    }
    if (random.below(2) === 0 && sizeBytesSeen > this.#durable.sizeBytes)
      this.#durable.truncate(sizeBytesSeen);
  }
}

function apply(bytes: MemoryBytes, change: Write | Truncation): void {
  if (change.kind === "write") bytes.write(change.position, change.bytes);
  else bytes.truncate(change.sizeBytes);
}

function pagesOf(write: Write): Write[] {
  const pages: Write[] = [];
  for (let start = 0; start < write.bytes.length; ) {
    const position = write.position + start;
    const end = Math.min(write.bytes.length, start + PAGE_BYTES - (position % PAGE_BYTES));
    pages.push({ kind: "write", position, bytes: write.bytes.subarray(start, end) });
    start = end;
  }
  return pages;
}

export type MemoryNode = MemoryFile | MemoryFolder;

/** What names stand for after a change; `null` takes a name away. A crash keeps or loses it as a whole. */
export type NameChange = ReadonlyMap<string, MemoryNode | null>;

export class MemoryFolder {
  readonly kind = "folder";
  readonly identity = nextIdentity();
  readonly sizeBytes = 0;
  #seen = new Map<string, MemoryNode>();
  #durable = new Map<string, MemoryNode>();
  #unsynced = new Unsynced<NameChange>();

  get isSynced(): boolean {
    return this.#unsynced.isEmpty;
  }

  get lastTurn(): number {
    return this.#unsynced.lastTurn;
  }

  get(name: string): MemoryNode | undefined {
    return this.#seen.get(name);
  }

  entries(): ReadonlyMap<string, MemoryNode> {
    return this.#seen;
  }

  change(names: NameChange): void {
    applyNames(this.#seen, names);
    this.#unsynced.add(names);
  }

  finishSync(turn: number): void {
    for (const names of this.#unsynced.takeSynced(turn)) applyNames(this.#durable, names);
  }

  failSync(turn: number): void {
    this.#unsynced.doubt(turn);
  }

  /** Takes everything below it along. What only lost names led to is gone. */
  crash(crash: Crash): void {
    if (crash.mode !== "kept") {
      for (const names of this.#unsynced.takeAll()) {
        if (crash.mode !== "lost" && crash.random.below(2) === 0) applyNames(this.#durable, names);
      }
      this.#seen = new Map(this.#durable);
    }
    for (const node of this.#seen.values()) node.crash(crash);
  }

  /** `clones` holds one clone for each node, since a node may stand under a seen name and under another, durable one. */
  clone(clones = new Map<MemoryNode, MemoryNode>()): MemoryFolder {
    const cloneOf = (node: MemoryNode): MemoryNode => {
      const clone = clones.get(node) ?? (node.kind === "file" ? node.clone() : node.clone(clones));
      clones.set(node, clone);
      return clone;
    };
    const copy = new MemoryFolder();
    for (const [name, node] of this.#seen) copy.#seen.set(name, cloneOf(node));
    for (const [name, node] of this.#durable) copy.#durable.set(name, cloneOf(node));
    copy.#unsynced = this.#unsynced.clone(
      (names) => new Map([...names].map(([name, node]) => [name, node && cloneOf(node)])),
    );
    return copy;
  }
}

function applyNames(names: Map<string, MemoryNode>, change: NameChange): void {
  for (const [name, node] of change) {
    if (node === null) names.delete(name);
    else names.set(name, node);
  }
}
