/** How many descriptors the logs and the connections may take when nobody says it: each must leave some to the other. */
import { readFileSync } from "node:fs";
import { LIMITS } from "@minikafka/core";
import { ConfigProblem } from "./config.ts";

/** Node takes some twenty itself; with fewer than these a broker would start and serve nobody. */
const DESCRIPTORS_MIN = 32;

/** Throws ConfigProblem when the system allows this process too few descriptors. */
export function requireDescriptors(allowed: unknown = descriptorsAllowed()): void {
  if (typeof allowed !== "number" || allowed >= DESCRIPTORS_MIN) return;
  throw new ConfigProblem(
    `the system lets this process open ${allowed} files at once; expected at least ${DESCRIPTORS_MIN}: raise it, as by ulimit -n 1024`,
  );
}

/** Half of what the system allows this process, and no more than the kernel's default. */
export function openFilesDefault(allowed: unknown = descriptorsAllowed()): number {
  if (typeof allowed !== "number") return LIMITS.openFilesDefault;
  return Math.max(LIMITS.openFilesMin, Math.min(LIMITS.openFilesDefault, Math.floor(allowed / 2)));
}

const CONNECTIONS_DEFAULT = 2_000;
/** Of this process itself: Node's own, the listener, the lock of the folder, and whom a full listener is turning away. */
const OWN_DESCRIPTORS_MAX = 64;

/**
 * So many that idle ones never take what the logs need: what the system allows without `openFilesMax`, of which the logs
 * get half at least, and without this process's own. At least one, at most 2000.
 */
export function connectionsDefault(openFilesMax: number, allowed: unknown = descriptorsAllowed()): number {
  if (typeof allowed !== "number") return CONNECTIONS_DEFAULT;
  const half = Math.floor(allowed / 2);
  const own = Math.min(OWN_DESCRIPTORS_MAX, Math.floor(half / 2));
  return Math.max(1, Math.min(CONNECTIONS_DEFAULT, allowed - Math.min(openFilesMax, half) - own));
}

let known: { readonly allowed: unknown } | null = null;

/**
 * Node has raised its own limit as far as it could before this is asked. Windows has none, others may say "unlimited". It is asked
 * once, however many brokers a test starts.
 */
function descriptorsAllowed(): unknown {
  known ??= { allowed: toldByLinux() ?? toldByReport() };
  return known.allowed;
}

/** `undefined` on another system, and where nothing bounds it. */
export function toldByLinux(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** On any system; it takes twenty milliseconds, a tenth of a broker's start. */
export function toldByReport(): unknown {
  const report: unknown = process.report.getReport();
  const { userLimits } = report as { userLimits?: { open_files?: { soft?: unknown } } };
  return userLimits?.open_files?.soft;
}
