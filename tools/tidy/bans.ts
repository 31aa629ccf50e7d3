/** What may not be used, and what to use instead. Where each ban holds is said in banned-calls.ts. */
import type { GlobalUse } from "./global-uses.ts";

export interface Ban {
  readonly of: string;
  /** Names that are there without an import. */
  readonly globals: readonly string[];
  /** Modules, by the beginning of their names. */
  readonly modules?: readonly string[];
  /** Uses of the globals that do no harm. */
  readonly harmless?: (use: GlobalUse) => boolean;
}

/** The moment it is now. A date made from a given number is only a way of writing it. */
export const WALL_CLOCK: Ban = {
  of: "the time it is",
  globals: ["Date", "performance"],
  modules: ["node:perf_hooks"],
  harmless: ({ name, member, argumentCount, constructed }) =>
    name === "Date" && (["UTC", "parse"].includes(member ?? "") || (constructed && (argumentCount ?? 0) > 0)),
};

export const CHANCE: Ban = {
  of: "chance",
  globals: ["Math", "crypto"],
  modules: ["node:crypto"],
  harmless: ({ name, member }) => name === "Math" && member !== null && member !== "random",
};

export const TIMERS: Ban = {
  of: "timers",
  globals: ["setTimeout", "setInterval", "setImmediate", "Atomics", "AbortSignal"],
  modules: ["node:timers"],
  harmless: ({ name, member }) =>
    (name === "AbortSignal" && member !== null && member !== "timeout") ||
    (name === "Atomics" && member !== null && !member.startsWith("wait")),
};

/** Work put off to nobody's turn: the order of things is then no longer that of the calls. */
export const PUT_OFF: Ban = { of: "putting off", globals: ["queueMicrotask"] };

export const CONSOLE: Ban = { of: "the console", globals: ["console"] };
export const PROCESS: Ban = {
  of: "the process",
  globals: ["process"],
  modules: ["node:process", "node:child_process", "node:worker_threads", "node:cluster", "node:os"],
};
/** Ending the process from inside skips what others still have to do. */
export const PROCESS_EXIT: Ban = {
  of: "ending the process",
  globals: ["process"],
  modules: ["node:process"],
  harmless: ({ member }) => member !== null && !["exit", "abort", "kill"].includes(member),
};
export const FILES: Ban = { of: "files", globals: [], modules: ["node:fs"] };
export const SOCKETS: Ban = {
  of: "sockets",
  globals: ["fetch", "WebSocket"],
  modules: ["node:net", "node:http", "node:tls", "node:dgram"],
};
/** The side door to all of the above. */
export const GLOBAL_OBJECT: Ban = {
  of: "the global object",
  globals: ["globalThis", "global", "eval", "Function"],
  modules: ["node:vm", "node:module"],
};
