/** A broker in a test's own process: started in one line, looked into without waiting, gone without a trace. */
export type { GroupPartition, GroupView } from "./group-view.ts";
export type { GroupWish } from "./group-wish.ts";
export type { LifeEnd, RestartOptions } from "./life.ts";
export type { RecordsQuery, SeenRecord } from "./seen-records.ts";
export { startBroker } from "./start-broker.ts";
export type { StartOptions } from "./start-options.ts";
export type { TestBroker } from "./test-broker.ts";
export type { TestClock } from "./test-clock.ts";
export type { TopicOptions } from "./topic-options.ts";
export { type WaitLimits, WaitTimedOut } from "./waits.ts";
