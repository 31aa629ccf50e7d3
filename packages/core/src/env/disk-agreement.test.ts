/** The memory disk does what the real one does, call by call, on calls that nobody chose. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Disk, DiskError, type DiskFile } from "./disk.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { NodeDisk } from "./node-disk.ts";
import { SeededRandom } from "./random.ts";

const SEED = Number(process.env.MINIKAFKA_TEST_SEED ?? 20_251);
const NAMES = ["a", "b", "c", "d/e", "d/f", "d", "g/h/i", "g"];

/** One disk with its open files, told the same story as the other. */
class Side {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #files: DiskFile[] = [];

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    disk.makeFolder(folder);
  }

  /** What one random call answers: a value, or the code that it fails with. */
  call(random: SeededRandom): unknown {
    const act = this.#draw(random);
    try {
      return act() ?? "done";
    } catch (problem) {
      if (problem instanceof DiskError) return problem.code;
      throw problem;
    }
  }

  closeAll(): void {
    for (const file of this.#files) file.close();
  }

  #draw(random: SeededRandom): () => unknown {
    const path = `${this.#folder}/${NAMES[random.below(NAMES.length)]}`;
    const sibling = `${path.slice(0, path.lastIndexOf("/"))}/${["a", "e", "z"][random.below(3)]}`;
    const create = (["exclusive", "if-missing"] as const)[random.below(2)] ?? "exclusive";
    const file = this.#files[random.below(Math.max(1, this.#files.length))];
    const position = random.below(50);
    const bytes = random.bytes(random.below(40));
    switch (random.below(13)) {
      case 0:
        return () => void this.#files.push(this.#disk.openFile(path, { create }));
      case 1:
        return () => void this.#files.push(this.#disk.openFile(path));
      case 2:
        return () => this.#disk.makeFolder(path).map((gained) => gained.slice(this.#folder.length));
      case 3:
        return () => this.#disk.rename(path, sibling);
      case 4:
        return () => this.#disk.remove(path);
      case 5:
        return () => this.#disk.removeFolder(path);
      case 6:
        return () => this.#disk.readFolder(path);
      case 7:
        // Not what it is called by: each disk has names of its own for its files.
        return () => ({ ...this.#disk.stat(path), identity: null });
      case 8:
        return () => file?.truncate(position);
      case 9:
        return () => [...(file?.readAt(position, bytes.length) ?? [])];
      case 10:
        return () => file?.sizeBytes();
      default:
        return () => file?.writeAt(position, bytes);
    }
  }
}

test(`both disks answer 5,000 random calls alike (seed ${SEED})`, () => {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-agree-"));
  const real = new Side(new NodeDisk(), folder);
  const memory = new Side(new MemoryDisk(), folder);
  const choices = new SeededRandom(SEED);
  try {
    for (let call = 0; call < 5_000; call++) {
      const seed = choices.nextUint32();
      const expected = real.call(new SeededRandom(seed));
      expect(memory.call(new SeededRandom(seed)), `call ${call}, seed ${seed}`).toEqual(expected);
    }
  } finally {
    real.closeAll();
    rmSync(folder, { recursive: true, force: true });
  }
});
