import { DiskError, type DiskFile, type OpenFileOptions } from "../src/env/disk.ts";
import { MemoryDisk } from "../src/env/memory-disk.ts";

const BLOCK_BYTES = 4096;
const blocksOf = (sizeBytes: number) => Math.ceil(sizeBytes / BLOCK_BYTES);

/** A memory disk of so many blocks of 4 KiB, and none for names: what would take more is refused with ENOSPC. */
export class SmallDisk extends MemoryDisk {
  blocksMax = Number.POSITIVE_INFINITY;
  /** How often there was no room. */
  refusals = 0;

  get usedBlocks(): number {
    return this.#usedBelow("/");
  }

  /** From now on nothing more goes onto it than there is. */
  fillUp(): void {
    this.blocksMax = this.usedBlocks;
  }

  override openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const file = super.openFile(path, options);
    const writeAt = file.writeAt.bind(file);
    file.writeAt = (position, bytes) => {
      const before = file.sizeBytes();
      const grows = blocksOf(Math.max(before, position + bytes.length)) - blocksOf(before);
      if (grows > 0 && this.usedBlocks + grows > this.blocksMax) {
        this.refusals += 1;
        throw new DiskError("write", path, "ENOSPC");
      }
      writeAt(position, bytes);
    };
    return file;
  }

  #usedBelow(folder: string): number {
    const entries = super.readFolder(folder);
    const sizes = entries.map(({ name, kind }) => {
      const path = `${folder === "/" ? "" : folder}/${name}`;
      return kind === "folder" ? this.#usedBelow(path) : blocksOf(super.stat(path)?.sizeBytes ?? 0);
    });
    return sizes.reduce((sum, each) => sum + each, 0);
  }
}
