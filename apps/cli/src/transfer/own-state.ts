/** The state that stands in a file, and that it is the one of this transfer: of these two clusters, and of these topics. */
import { CliError } from "../failure.ts";
import { type Journal, readJournal } from "./journal.ts";
import type { TopicIdentity } from "./journal-form.ts";

/** One end of a transfer, by which its state is known again. */
export interface StateEnd extends Pick<TopicIdentity, "cluster_id" | "topic"> {
  /** Where the cluster is found. */
  readonly where: string;
}

/**
 * `null` where there is no state. Throws INVALID_INPUT for what is none, and COPY_DIFFERS for that of another transfer, which may be right, and is
 * not to be removed: another target in the same folder, or a name that differs by its case where files do not.
 */
export function readOwnState(file: string, source: StateEnd, target: StateEnd): Journal | null {
  const journal = readJournal(file);
  if (journal === null) return null;
  const { head } = journal;
  requireOwn(file, "source", head.source, source);
  requireOwn(file, "target", head.target, target);
  return journal;
}

function requireOwn(file: string, side: "source" | "target", kept: TopicIdentity, wanted: StateEnd): void {
  const which = side === "source" ? "a copy of" : "a copy to";
  if (kept.topic !== wanted.topic)
    throw another(`${file} is the state of ${which} the topic ${kept.topic}; expected ${wanted.topic}`);
  if (kept.cluster_id !== wanted.cluster_id)
    throw another(
      `${file} is the state of ${which} the cluster ${kept.cluster_id}; ${wanted.where} is the cluster ${wanted.cluster_id}`,
    );
}

function another(message: string): CliError {
  return new CliError("COPY_DIFFERS", message, {
    hint: "keep it, that transfer goes on by it; --state names another folder for this one, and without --state each pair of clusters has its own",
  });
}
