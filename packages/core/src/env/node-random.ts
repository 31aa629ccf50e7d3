/** Chance that cannot be guessed. The one file of the kernel that may draw it; who opens a cluster hands it in. */
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { Random } from "./random.ts";

export class SystemRandom implements Random {
  nextUint32(): number {
    return randomInt(2 ** 32);
  }

  below(limit: number): number {
    return randomInt(limit);
  }

  bytes(count: number): Buffer {
    return randomBytes(count);
  }

  uuid(): string {
    return randomUUID();
  }
}
