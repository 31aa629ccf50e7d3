/** Why the daemon did not start: a sentence for a person, an exit code for a script. */
import { BrokerError, DataFolderRefused } from "@minikafka/core";
import { ConfigProblem } from "./config.ts";
import { AddressUnavailable } from "./connections/port.ts";

export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  dataFolderRefused: 3,
  dataFolderInUse: 4,
  addressUnavailable: 5,
} as const;

export interface Refusal {
  readonly exitCode: number;
  readonly sentence: string;
  readonly hint: string;
}

const FOLDER_HINTS: { readonly [reason in DataFolderRefused["reason"]]: string } = {
  "not-a-folder": "give --data a folder; it is made when it is missing",
  "not-ours": "give --data an empty or a new folder; nothing in this one was touched",
  "in-use": "stop that process, or give --data another folder",
  "read-only": "make the folder writable for this user, or give --data another one",
  unreachable: "look at the folder and its disk, or give --data another one",
  "newer-version": "use the newer version of this program; nothing was touched",
  damaged: "restore the file from a copy, or, to begin empty, remove the folder; nothing was touched",
  "no-broker-folder":
    "nothing was touched; without its folder a broker begins empty, and rejoin makes its copies anew from their leaders",
  "missing-broker": "start with at least as many --brokers as before",
};

/** The refusal that `error` means, or `null` when it is a fault and not a refusal. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof ConfigProblem) {
    return {
      exitCode: EXIT.usage,
      sentence: error.message,
      hint: "minikafka-broker --help lists the settings",
    };
  }
  if (error instanceof DataFolderRefused) {
    const exitCode = error.reason === "in-use" ? EXIT.dataFolderInUse : EXIT.dataFolderRefused;
    return { exitCode, sentence: error.message, hint: FOLDER_HINTS[error.reason] };
  }
  if (error instanceof AddressUnavailable) {
    return { exitCode: EXIT.addressUnavailable, sentence: error.message, hint: addressHint(error) };
  }
  if (error instanceof BrokerError) {
    const isUsage = error.code === "INVALID_CONFIG";
    return {
      exitCode: isUsage ? EXIT.usage : EXIT.dataFolderRefused,
      sentence: `${error.code}: ${error.message}`,
      hint: isUsage ? "minikafka-broker --help lists the settings" : "look at the data folder and its disk",
    };
  }
  return null;
}

function addressHint({ code, setting }: AddressUnavailable): string {
  const isTaken = code === "EADDRINUSE";
  if (setting === "port")
    return isTaken
      ? "another program listens there; choose another --port (0 picks a free one)"
      : "choose another --host or --port";
  if (setting === "http_port")
    return isTaken
      ? "another program listens there; choose another --http-port (0 picks a free one)"
      : "choose another --host or --http-port";
  const choose = `choose another ${isTaken ? "" : "--host or "}--kafka-port`;
  const needs =
    "each of the --brokers needs a port: those from N on, or as N,N… names them (0 picks free ones)";
  return isTaken ? `another program listens there; ${choose}: ${needs}` : `${choose}: ${needs}`;
}
