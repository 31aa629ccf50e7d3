/** A folder for what a run writes: on a disk with room for it, and gone when the run is, however it ends. */
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const GB = 1_000_000_000;
/** What stays free beside what a run needs: the disk is not ours alone. */
const SPARE_BYTES = 2 * GB;

/** There is too little room for a run. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

/** Throws {@link NoRoom} when what `bytes` need, with some to spare, is not free where temporary files go. */
export function requireRoom(bytes: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const [free, needed] = [bavail * bsize, bytes + SPARE_BYTES];
  if (free >= needed) return;
  const said = (amount: number) => `${(amount / GB).toFixed(1)} GB`;
  throw new NoRoom(`${tmpdir()} has ${said(free)} free; this run asks for ${said(needed)}`);
}

/** Gives `act` a folder, and removes it and calls `end` when it is done, also when a signal ends this process. */
export async function withScratch<Result>(
  act: (folder: string) => Promise<Result>,
  end: () => void,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-bench-"));
  const cleanUp = () => {
    end();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      cleanUp();
      process.kill(process.pid, signal);
    });
  }
  try {
    return await act(folder);
  } finally {
    cleanUp();
  }
}
