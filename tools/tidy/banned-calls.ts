/** Banned calls by folder: each ban says what to use instead, and in which files its one exception lives. */
import * as bans from "./bans.ts";
import { type GlobalUse, globalUses } from "./global-uses.ts";
import { importsOf } from "./imports.ts";
import { isTest, type Rule, type Workspace } from "./workspace.ts";

interface Place {
  readonly folder: string;
  readonly ban: bans.Ban;
  readonly instead: string;
  /** Files or folders within `folder` where it is allowed. */
  readonly except?: readonly string[];
}

const COMPRESSION = "packages/compression/src/";
const LEAVES = ["packages/record/src/", COMPRESSION, "packages/protocol/src/"];
const PURE = "nothing here may depend on the world; take it as an argument";

const LEAF_PLACES: Place[] = LEAVES.flatMap((folder) =>
  [
    ...[bans.WALL_CLOCK, bans.CHANCE, bans.TIMERS, bans.PUT_OFF, bans.CONSOLE],
    ...[bans.PROCESS, bans.FILES, bans.SOCKETS, bans.GLOBAL_OBJECT],
  ].map((ban) => ({
    folder,
    ban,
    instead: PURE,
    // A native library is loaded by its name when its codec is first used.
    ...(folder === COMPRESSION && ban === bans.GLOBAL_OBJECT && { except: ["library.ts"] }),
  })),
);

const KERNEL = "packages/core/src/";
/** The real disk and its parts. */
const NODE_DISK = ["disk", "disk-calls", "disk-file", "disk-folder", "folder-hold"].map(
  (part) => `env/node-${part}.ts`,
);
const KERNEL_PLACES: Place[] = [
  { folder: KERNEL, ban: bans.WALL_CLOCK, instead: "env.clock.nowMs()", except: ["env/node-clock.ts"] },
  { folder: KERNEL, ban: bans.CHANCE, instead: "env.random", except: ["env/node-random.ts"] },
  {
    folder: KERNEL,
    ban: bans.TIMERS,
    instead: "a step that the ticker calls; the kernel never waits by itself",
  },
  { folder: KERNEL, ban: bans.PUT_OFF, instead: "a call, or a promise that says for what it waits" },
  { folder: KERNEL, ban: bans.CONSOLE, instead: "env.trace" },
  // The system's name decides what a real disk can do; the lock tells a second daemon who holds the folder.
  {
    folder: KERNEL,
    ban: bans.PROCESS,
    instead: "a parameter of ClusterConfig or Env",
    except: ["env/node-disk-folder.ts", "env/node-folder-hold.ts", "env/folder-lock.ts"],
  },
  { folder: KERNEL, ban: bans.FILES, instead: "env.disk", except: NODE_DISK },
  // The lock of a data folder is a listening socket, which the system gives up when its owner dies.
  {
    folder: KERNEL,
    ban: bans.SOCKETS,
    instead: "the listeners of apps/broker",
    except: ["env/folder-lock.ts"],
  },
  { folder: KERNEL, ban: bans.GLOBAL_OBJECT, instead: "Env" },
];

const CLIENT = "packages/client/src/";
const CLIENT_CLOCK = ["clock.ts"];
const CLIENT_PLACES: Place[] = [
  { folder: CLIENT, ban: bans.WALL_CLOCK, instead: "the injected clock", except: CLIENT_CLOCK },
  { folder: CLIENT, ban: bans.TIMERS, instead: "the injected clock", except: CLIENT_CLOCK },
  // It names what is injected where the caller injects nothing; a member's name must differ from every other process's.
  {
    folder: CLIENT,
    ban: bans.CHANCE,
    instead: "the injected random()",
    except: ["client.ts", "consumer/group/member-id.ts", "fault-mark.ts"],
  },
  { folder: CLIENT, ban: bans.CONSOLE, instead: "an error or an event; a library does not print" },
  { folder: CLIENT, ban: bans.PROCESS, instead: "an option of connect()" },
  { folder: CLIENT, ban: bans.FILES, instead: "nothing; the SDK keeps no files" },
  { folder: CLIENT, ban: bans.GLOBAL_OBJECT, instead: "an option of connect()" },
];

const BROKER = "apps/broker/src/";
const BROKER_PLACES: Place[] = [
  { folder: BROKER, ban: bans.CONSOLE, instead: "the logger; stdout is for the ready line alone" },
  {
    folder: BROKER,
    ban: bans.TIMERS,
    instead: "ticker.ts, replicator.ts or deadlines.ts",
    except: ["system-timers.ts"],
  },
  // Deadlines of requests are durations: they read the clock that nobody can set.
  { folder: BROKER, ban: bans.WALL_CLOCK, instead: "cluster.env.clock", except: ["system-timers.ts"] },
  // A fault is named from outside of the world, so that naming it changes nothing of what happens next.
  {
    folder: BROKER,
    ban: bans.CHANCE,
    instead: "cluster.env.random",
    except: ["history/fingerprint.ts"],
  },
  {
    folder: BROKER,
    ban: bans.PROCESS_EXIT,
    instead: "an exit code returned to main.ts",
    except: ["main.ts"],
  },
];

const CLI = "apps/cli/src/";
const CLI_PLACES: Place[] = [
  { folder: CLI, ban: bans.CONSOLE, instead: "the output folder; stdout is data only" },
  // Ctrl-C is given two seconds.
  { folder: CLI, ban: bans.TIMERS, instead: "a timeout of the SDK", except: ["main.ts"] },
  {
    folder: CLI,
    ban: bans.CHANCE,
    instead: "nothing; the same command does the same",
    // A digest is no chance.
    except: ["transfer/state-place.ts"],
  },
  {
    folder: CLI,
    ban: bans.PROCESS_EXIT,
    instead: "an exit code returned to main.ts",
    except: ["main.ts"],
  },
];

const PLACES = [...LEAF_PLACES, ...KERNEL_PLACES, ...CLIENT_PLACES, ...BROKER_PLACES, ...CLI_PLACES];

function holdsIn({ folder, except = [] }: Place, path: string): boolean {
  if (!path.startsWith(folder) || isTest(path)) return false;
  const inside = path.slice(folder.length);
  return !except.some((entry) => (entry.endsWith("/") ? inside.startsWith(entry) : inside === entry));
}

function written({ name, member, constructed }: GlobalUse): string {
  return `${constructed ? "new " : ""}${name}${member === null ? "" : `.${member}`}`;
}

function globalProblems(place: Place, workspace: Workspace): string[] {
  const names = new Set(place.ban.globals);
  return [...workspace.sources].flatMap(([path, source]) => {
    if (!holdsIn(place, path)) return [];
    const uses = globalUses(source, names).filter((use) => place.ban.harmless?.(use) !== true);
    return uses.map(
      (use) => `${path}:${use.line}: ${written(use)} is banned in ${place.folder}; use ${place.instead}`,
    );
  });
}

function moduleProblems(place: Place, workspace: Workspace): string[] {
  return importsOf(workspace).flatMap(({ from, line, specifier }) => {
    const full = specifier.startsWith("node:") ? specifier : `node:${specifier}`;
    const banned = (place.ban.modules ?? []).some((name) => full === name || full.startsWith(`${name}/`));
    if (!banned || !holdsIn(place, from)) return [];
    return [`${from}:${line}: ${specifier} is banned in ${place.folder}; use ${place.instead}`];
  });
}

export const noBannedCalls: Rule = (workspace) =>
  PLACES.flatMap((place) => [...globalProblems(place, workspace), ...moduleProblems(place, workspace)]);

/** An exception whose file is gone, or no longer does what is banned, has had its day. */
export const bansNeedTheirExceptions: Rule = (workspace) => {
  const paths = [...workspace.sources.keys()];
  return PLACES.flatMap((place) =>
    (place.except ?? []).flatMap((entry) => {
      const inside = paths.filter((path) => path.startsWith(place.folder + entry) && !isTest(path));
      const bare = { ...place, folder: place.folder + entry, except: [] };
      const needed = globalProblems(bare, workspace).length + moduleProblems(bare, workspace).length > 0;
      if (inside.length > 0 && needed) return [];
      return [
        `tools/tidy/banned-calls.ts: ${place.folder}${entry} needs no exception for ${place.ban.of}; remove it`,
      ];
    }),
  );
};
