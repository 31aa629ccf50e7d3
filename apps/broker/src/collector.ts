/**
 * How V8 collects what batches leave behind. Each passes through several buffers as large as itself, over a heap of a few
 * megabytes; V8's defaults are made for many small objects. Both settings take effect from the next collection on.
 */
import { setFlagsFromString } from "node:v8";

/**
 * Buffers are freed by the thread that made them and not by one of V8's helpers: freed elsewhere they come back late and page
 * by page, and waking the helper costs as well. Measured by `npm run bench`: a fetch of batches of a mebibyte costs half the
 * processor time.
 */
const FREE_IN_PLACE = "--no-concurrent-array-buffer-sweeping";

/**
 * The whole heap is collected when it and the buffers have grown to four times what was alive. Four is the most that V8 would
 * choose by itself; what it does choose for a heap as small as ours has it collect everything once for every dozen megabytes
 * that pass. Measured likewise: a third of a fetch's processor time, a sixth of a produce's.
 */
const COLLECT_SELDOM = "--heap-growing-percent=300";

/** For a process that is a broker and nothing else: the settings are the whole process's. */
export function tuneCollector(): void {
  setFlagsFromString(FREE_IN_PLACE);
  setFlagsFromString(COLLECT_SELDOM);
}
