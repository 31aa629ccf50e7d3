/** What is measured, how often, and when it is enough. */
const KIB = 1024;
const MIB = 1024 * KIB;

export interface Workload {
  readonly recordBytes: number;
  readonly batchBytes: number;
}

export interface Plan {
  readonly workloads: readonly Workload[];
  /** Bytes of values that each measurement moves. */
  readonly volumeBytes: number;
  /** Rounds that come first and count for nothing: the compiler needs them, in all processes alike. */
  readonly warmUpRounds: number;
  /** Rounds that count. */
  readonly rounds: number;
  /** No round begins that would probably end after this. */
  readonly timeMsMax: number;
  /** Starts of the daemon, each on a new folder. */
  readonly starts: number;
}

const WORKLOADS: readonly Workload[] = [100, KIB].flatMap((recordBytes) =>
  [16 * KIB, MIB].map((batchBytes) => ({ recordBytes, batchBytes })),
);

export const FULL: Plan = {
  workloads: WORKLOADS,
  volumeBytes: 24 * MIB,
  warmUpRounds: 2,
  rounds: 15,
  timeMsMax: 90_000,
  starts: 7,
};

export const QUICK: Plan = {
  workloads: WORKLOADS,
  volumeBytes: 8 * MIB,
  warmUpRounds: 1,
  rounds: 3,
  timeMsMax: 20_000,
  starts: 3,
};
