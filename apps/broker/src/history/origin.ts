/**
 * Where a manual cluster begins: what lay in its folder, the time, and what chance is drawn from. Equal origins and equal requests
 * give equal bytes.
 *
 * Chance follows from the seed and from all that lay in the folder: a daemon that comes back to its folder must not give the ids a
 * second time that it gave before, and it gives others, since the folder has changed; where it has not, nobody has them.
 */
import { fingerprint } from "./fingerprint.ts";
import { type FolderImage, type FolderSurvey, fingerprintOf } from "./folder-image.ts";

const NOTHING: FolderImage = { entries: [], sizeBytes: 0 };

export interface Origin {
  readonly startTimeMs: number;
  readonly seed: number;
  /** `null` where the folder held more than may be kept. */
  readonly image: FolderImage | null;
  /** Of all files in the folder. */
  readonly imageBytes: number;
  /** For the kernel's chance. */
  readonly drawnSeed: number;
}

/** `survey` is of a folder of which nobody else makes use meanwhile; `null` where there is no cluster yet. Throws DiskError. */
export function originOf(
  survey: FolderSurvey | null,
  { startTimeMs, seed, bytesMax }: { startTimeMs: number; seed: number; bytesMax: number },
): Origin {
  const imageBytes = survey?.sizeBytes ?? 0;
  const image = imageBytes > bytesMax ? null : (survey?.image() ?? NOTHING);
  const found = image === null ? survey?.fingerprint() : fingerprintOf(image);
  return { startTimeMs, seed, image, imageBytes, drawnSeed: drawnSeed(seed, found ?? "") };
}

/** Where another cluster began, of which everything was kept. */
export function originFrom(image: FolderImage, startTimeMs: number, seed: number): Origin {
  const imageBytes = image.sizeBytes;
  return { startTimeMs, seed, image, imageBytes, drawnSeed: drawnSeed(seed, fingerprintOf(image)) };
}

function drawnSeed(seed: number, found: string): number {
  return Number.parseInt(fingerprint([String(seed), found]).slice(0, 12), 16);
}
