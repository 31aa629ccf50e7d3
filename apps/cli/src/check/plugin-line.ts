/**
 * One line as the plugins of Nagios print it, and those who speak like it (Icinga, Sensu, Zabbix, Telegraf): a status, what is to be said, and
 * behind a bar what was measured. The exit code is that of the status, and means nothing of what it means in other commands.
 */
import type { ExitCode } from "../exit-codes.ts";
import type { Failure } from "../failure.ts";
import { printable } from "../output/printable.ts";

export type Status = "OK" | "WARNING" | "CRITICAL" | "UNKNOWN";

export const STATUS_EXIT = { OK: 0, WARNING: 1, CRITICAL: 2, UNKNOWN: 3 } as const satisfies {
  readonly [Name in Status]: ExitCode;
};

/** The worst first: what is known to be wrong goes before what is not known. */
const BY_WEIGHT: readonly Status[] = ["CRITICAL", "WARNING", "UNKNOWN", "OK"];

export interface Finding {
  readonly status: Exclude<Status, "OK">;
  /** What was looked for. Does not change from version to version. */
  readonly check: string;
  readonly message: string;
}

/** A number that is worth a curve. */
export interface Measure {
  readonly label: string;
  readonly value: number;
  /** `s` for seconds; left out for a count. */
  readonly unit?: "s";
  /** Above them it is a warning, or critical. */
  readonly warning?: number | undefined;
  readonly critical?: number | undefined;
}

export interface PluginAnswer {
  readonly findings: readonly Finding[];
  readonly measures: readonly Measure[];
  /** Said where nothing was found. */
  readonly fine: string;
}

export function statusOf({ findings }: Pick<PluginAnswer, "findings">): Status {
  const found = new Set<Status>(findings.map(({ status }) => status));
  return BY_WEIGHT.find((status) => found.has(status)) ?? "OK";
}

/** What was found, the worst first. */
function summaryOf({ findings, fine }: PluginAnswer): string {
  const sorted = BY_WEIGHT.flatMap((status) => findings.filter((finding) => finding.status === status));
  return sorted.length === 0 ? fine : sorted.map(({ message }) => message).join("; ");
}

/** Without its newline. */
export function pluginLine(answer: PluginAnswer): string {
  // The bar begins what is measured, wherever it stands.
  const said = printable(summaryOf(answer)).replaceAll("|", "/");
  const measured = answer.measures.map(measureText).join(" ");
  return `${statusOf(answer)} - ${said}${measured === "" ? "" : ` | ${measured}`}`;
}

/** `'label'=value[unit];[warning];[critical];[least]`. */
function measureText({ label, value, unit, warning, critical }: Measure): string {
  const name = printable(label).replaceAll(/['=|]/g, "_");
  const quoted = /^\w+$/.test(name) ? name : `'${name}'`;
  return `${quoted}=${value}${unit ?? ""};${warning ?? ""};${critical ?? ""};0`;
}

export function pluginDocument(answer: PluginAnswer): object {
  const status = statusOf(answer);
  return {
    status,
    exit_code: STATUS_EXIT[status],
    message: summaryOf(answer),
    findings: answer.findings,
    measures: answer.measures.map(({ label, value, unit, warning, critical }) => ({
      ...{ label, value, unit: unit ?? null, warning: warning ?? null, critical: critical ?? null },
    })),
  };
}

const UNREACHED: readonly string[] = ["CONNECTION", "TIMEOUT", "TOO_MANY_CONNECTIONS", "SHUTTING_DOWN"];

/** Of a look that came to nothing. A broker that does not answer, or nobody any more, is what plugins are there to tell; anything else is no statement about it. */
export function failedAnswer({ code, message }: Failure): PluginAnswer {
  const isUnreached = UNREACHED.includes(code);
  const said = `${code}: ${message.split("\n")[0]}`;
  const finding: Finding = isUnreached
    ? { status: "CRITICAL", check: "reachable", message: said }
    : { status: "UNKNOWN", check: "error", message: said };
  return { findings: [finding], measures: [], fine: "" };
}
