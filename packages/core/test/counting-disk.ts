import type { DiskFile, OpenFileOptions } from "../src/env/disk.ts";
import { MemoryDisk } from "../src/env/memory-disk.ts";

/** A memory disk that notes how much each read of a file takes. */
export class CountingDisk extends MemoryDisk {
  readonly reads: number[] = [];

  override openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const file = super.openFile(path, options);
    const readAt = file.readAt.bind(file);
    file.readAt = (position, lengthBytes) => {
      this.reads.push(lengthBytes);
      return readAt(position, lengthBytes);
    };
    return file;
  }
}
