/** The whole script. */
import { CONFIGS } from "./configs.ts";
import { FETCH } from "./fetch.ts";
import { FRAME_SCENARIOS } from "./frames.ts";
import { GROUPS } from "./groups.ts";
import { METADATA } from "./metadata.ts";
import { OFFSETS } from "./offsets.ts";
import { PRODUCE } from "./produce.ts";
import type { Scenario } from "./scenario.ts";
import { TOPICS } from "./topics.ts";
import { TRANSACTIONS } from "./transactions.ts";

export const SCENARIOS: readonly Scenario[] = [
  ...METADATA,
  ...PRODUCE,
  ...FETCH,
  ...TOPICS,
  ...CONFIGS,
  ...OFFSETS,
  ...GROUPS,
  ...TRANSACTIONS,
  ...FRAME_SCENARIOS,
];
