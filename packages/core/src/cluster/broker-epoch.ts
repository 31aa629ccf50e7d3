/**
 * `broker-<id>/broker-epoch.json`: in which of the broker's lives its folder was last in use.
 *
 * Each start is a life with an epoch of its own, later than all before (Kafka: broker epoch), and `metadata.json` knows the last
 * one whose replicas were judged. A folder that was in use before that, and not in it, was put back from an older copy: that it ended
 * cleanly, and how far it was visible, it says of a life that others have gone beyond. Kafka keeps the epoch in the clean shutdown
 * file for the same end (KIP-966).
 *
 * Owns: the file.
 * Invariants: a later epoch than the metadata's is of a start that was not judged, and says nothing; the one before it stands
 * beside it, and counts then.
 * Never: a damaged file, or another broker's, taken for a folder that was in use the last time.
 */
import { posix } from "node:path";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { fieldsOf, integerOf } from "../log/files/parsed-json.ts";

export const BROKER_EPOCH_FILE_NAME = "broker-epoch.json";
const VERSION = 1;

interface FolderEpoch {
  readonly brokerId: number;
  readonly brokerEpoch: number;
  /** Of the life before; `null` for the first, and when nobody knows. */
  readonly previousEpoch: number | null;
}

/** What a start of a broker finds and begins. */
export interface BrokerStart {
  /** The folder was put back from an older copy. */
  readonly isOlderCopy: boolean;
  /** Of the life that begins; `null` when the disk refused to note it: then this is the life before, going on. */
  readonly brokerEpoch: number | null;
}

export class BrokerEpoch {
  readonly #brokerId: number;
  readonly #env: Env;
  readonly #file: CheckpointFile<FolderEpoch>;

  constructor(folder: string, brokerId: number, env: Env) {
    this.#brokerId = brokerId;
    this.#env = env;
    this.#file = new CheckpointFile<FolderEpoch>({
      disk: env.disk,
      faults: env.faults,
      path: posix.join(folder, BROKER_EPOCH_FILE_NAME),
      name: "broker_epoch",
      site: { brokerId },
      version: VERSION,
      parse: parseEpoch,
      format: ({ brokerId: id, brokerEpoch, previousEpoch }) => ({
        broker_id: id,
        broker_epoch: brokerEpoch,
        previous_epoch: previousEpoch,
      }),
    });
  }

  /** `knownEpoch`: the metadata's; `null` when it knows none; `spend` does what may take the last of the disk. Throws DiskError. */
  begin(knownEpoch: number | null, spend: (note: () => void) => void): BrokerStart {
    this.#file.removeStrays();
    const found = this.#read();
    const isJudged = found !== null && (knownEpoch === null || found.brokerEpoch <= knownEpoch);
    const previousEpoch = (isJudged ? found.brokerEpoch : found?.previousEpoch) ?? null;
    const isOlderCopy = knownEpoch !== null && (previousEpoch === null || previousEpoch < knownEpoch);
    const latest = Math.max(knownEpoch ?? 0, found?.brokerEpoch ?? 0);
    const brokerEpoch = Math.max(this.#env.clock.nowMs(), latest + 1);
    const noted = { brokerId: this.#brokerId, brokerEpoch, previousEpoch };
    const isNoted = this.#isDone(() => spend(() => this.#file.replace(noted)));
    return { isOlderCopy, brokerEpoch: isNoted ? brokerEpoch : null };
  }

  #read(): FolderEpoch | null {
    try {
      const found = this.#file.read();
      return found?.brokerId === this.#brokerId ? found : null;
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      const facts = { brokerId: this.#brokerId, path: this.#file.path, problem: problem.message };
      this.#env.trace({ kind: "checkpoint_ignored", ...facts });
      return null;
    }
  }

  /** A disk that refuses keeps no broker from starting. */
  #isDone(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      return false;
    }
  }
}

function parseEpoch(payload: unknown): FolderEpoch {
  const fields = fieldsOf(payload, "the epoch");
  const number = (name: string) =>
    integerOf(fields.get(name), name, { min: 0, max: Number.MAX_SAFE_INTEGER });
  const isFirst = fields.get("previous_epoch") === null;
  return {
    brokerId: number("broker_id"),
    brokerEpoch: number("broker_epoch"),
    previousEpoch: isFirst ? null : number("previous_epoch"),
  };
}
