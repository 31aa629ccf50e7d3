/** `fault`: what is broken on purpose, whether it acted, and an end of it. */

import { nearest } from "@minikafka/record";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError, failureOf } from "../failure.ts";
import { actionText, type ListedRule, scopeText, timesText } from "../faults/fault-text.ts";
import { wholeNumber } from "../input/arguments.ts";
import { counted } from "../log/sizes-text.ts";
import { examples } from "../output/examples.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { declareArm } from "./fault-arm.ts";

const NOTE =
  "Faults need a broker started with --lab or --clock manual, which forgets them when it ends. HITS counts how often a fault\n" +
  "could have acted, FIRED how often it did, HELD who waits for fault release.";

const SHOWN = [
  "minikafka-cli fault arm request.produce close-after",
  "minikafka-cli produce orders -v paid --idempotent",
  "minikafka-cli fault list",
  "minikafka-cli fault assert && minikafka-cli fault disarm",
  "minikafka-cli fault points request.",
];

export function declareFault(program: Command, perform: Perform): void {
  const fault = program
    .command("fault")
    .alias("faults")
    .summary("break things on purpose, and see whether they broke")
    .description("Has requests and the kernel fail, wait or die on purpose, where and as often as one says.");
  declareArm(fault, perform);
  const list = fault
    .command("list")
    .alias("ls")
    .summary("list the armed faults with their counts")
    .description("Lists the armed faults, oldest first, with how often each could have acted and did.")
    .action((_options: unknown, self: Command) => perform(self, listRules));
  const points = fault
    .command("points")
    .summary("list where faults can be armed, with what each point takes")
    .description(
      "Lists the points at which faults can be armed, with the actions and the scope that each takes.",
    )
    .argument("[prefix]", "only points whose name begins so, such as request. or log.flush", "")
    .action((prefix: string, _options: unknown, self: Command) =>
      perform(self, (context) => listPoints(context, prefix)),
    );
  const assert = fault
    .command("assert")
    .summary("fail unless faults have acted")
    .description(
      "Ends with exit code 5 unless each of the faults has acted at least once: of all that are armed, or of those named.",
    )
    .argument("[rule...]", "the faults' numbers", collectRule)
    .action((ids: number[], _options: unknown, self: Command) =>
      perform(self, (context) => assertFired(context, ids)),
    );
  const release = fault
    .command("release")
    .summary("let go what a fault holds")
    .description("Lets go what a fault of action hold holds; from then on it holds nothing more.")
    .argument("<rule>", "the fault's number", wholeNumber(1))
    .action((id: number, _options: unknown, self: Command) =>
      perform(self, (context) => releaseOne(context, id)),
    );
  const disarm = fault
    .command("disarm")
    .summary("forget one armed fault, or all")
    .description(
      "Forgets one armed fault, or all of them when none is named, with their counts. What they hold goes on.",
    )
    .argument("[rule]", "the fault's number", wholeNumber(1))
    .action((id: number | undefined, _options: unknown, self: Command) =>
      perform(self, (context) => disarmSome(context, id)),
    );
  for (const command of [fault, list, points, assert, release, disarm])
    addSharedOptions(command).addHelpText("after", examples(SHOWN, NOTE));
}

function collectRule(text: string, before: readonly number[] = []): number[] {
  return [...before, wholeNumber(1)(text)];
}

function inSession(context: Context, act: (session: Session) => Promise<void>): Promise<undefined> {
  return withSession(context, async (session) => {
    await act(session);
    return undefined;
  });
}

/** Points are told by any broker; that none is armed says nothing of one on which none can be. Throws STEPPING_DISABLED. */
async function armedRules(session: Session): Promise<readonly ListedRule[]> {
  const { rules } = await session.call("list_faults", {});
  if (rules.length > 0 || (await session.call("describe_cluster", {})).lab) return rules;
  throw new CliError("STEPPING_DISABLED", "on this broker no fault can be armed");
}

function listRules(context: Context): Promise<undefined> {
  return inSession(context, async (session) => {
    const rules = await armedRules(session);
    if (context.settings.json) return context.data.json({ rules: [...rules] });
    const rows = rules.map((rule): Cell[] => [
      rule.rule_id,
      rule.point,
      actionText(rule),
      timesText(rule),
      scopeText(rule),
      rule.hits,
      rule.fired,
      rule.held,
    ]);
    const headers = ["RULE", "POINT", "ACTION", "TIMES", "SCOPE", "HITS", "FIRED", "HELD"];
    await context.data.write(renderTable(headers, rows));
    if (rows.length === 0)
      context.notes.remark("no fault is armed; minikafka-cli fault points lists where one can be");
  });
}

function listPoints(context: Context, prefix: string): Promise<undefined> {
  return inSession(context, async (session) => {
    const all = (await session.call("list_faults", {})).points;
    const points = all.filter(({ point }) => point.startsWith(prefix));
    if (points.length === 0)
      throw noSuchPoint(
        prefix,
        all.map(({ point }) => point),
      );
    if (context.settings.json) return context.data.json({ points });
    const rows = points.map(({ point, actions, scope }): Cell[] => [
      point,
      actions.join(",").replaceAll("_", "-"),
      scope.join(","),
    ]);
    return context.data.write(renderTable(["POINT", "ACTIONS", "SCOPE"], rows));
  });
}

function noSuchPoint(prefix: string, points: readonly string[]): CliError {
  const meant = nearest(prefix, points);
  return new CliError("NOT_FOUND", `no point's name begins with ${prefix}`, {
    hint:
      meant === null
        ? "minikafka-cli fault points, without a name, lists them all; they begin with request., kafka., or a part of the kernel such as log."
        : `did you mean ${meant}?`,
  });
}

function assertFired(context: Context, ids: readonly number[]): Promise<undefined> {
  return inSession(context, async (session) => {
    const rules = await armedRules(session);
    const armed = new Map(rules.map((rule) => [rule.rule_id, rule]));
    const stranger = ids.find((id) => !armed.has(id));
    if (stranger !== undefined) throw notArmed(stranger);
    const asked = ids.length === 0 ? rules : rules.filter(({ rule_id }) => ids.includes(rule_id));
    if (asked.length === 0)
      throw new CliError("NOT_FOUND", "no fault is armed", {
        hint: "minikafka-cli fault arm POINT ACTION arms one; a broker that was started anew has forgotten those before",
      });
    const silent = asked.filter(({ fired }) => fired === 0);
    if (silent.length > 0) throw neverFired(silent);
    const fired = asked.map((rule) => ({ rule_id: rule.rule_id, hits: rule.hits, fired: rule.fired }));
    if (context.settings.json) return context.data.json({ fired });
    for (const rule of fired)
      await context.data.line(
        `fault ${rule.rule_id} fired ${rule.fired === 1 ? "once" : `${rule.fired} times`} in ${counted(rule.hits, "hit")}`,
      );
  });
}

function neverFired(silent: readonly ListedRule[]): CliError {
  const each = silent.map(
    (rule) => `fault ${rule.rule_id} (${actionText(rule)} at ${rule.point}) after ${rule.hits} hits`,
  );
  return new CliError("FAULT_NOT_FIRED", `never fired: ${each.join("; ")}`, {
    details: { rule_ids: silent.map(({ rule_id }) => rule_id) },
  });
}

function releaseOne(context: Context, id: number): Promise<undefined> {
  return inSession(context, async (session) => {
    const released = await letGo(session, id);
    if (context.settings.json) return context.data.json({ rule_id: id, released });
    return context.data.line(`fault ${id} let go ${released}`);
  });
}

/** How many it held. Throws NOT_FOUND when no fault has that number. */
async function letGo(session: Session, id: number): Promise<number> {
  try {
    return (await session.call("release_fault", { rule_id: id })).released;
  } catch (error) {
    if (failureOf(error).code !== "INVALID_REQUEST") throw error;
    const { rules } = await session.call("list_faults", {});
    throw rules.some(({ rule_id }) => rule_id === id) ? error : notArmed(id);
  }
}

function disarmSome(context: Context, id: number | undefined): Promise<undefined> {
  return inSession(context, async (session) => {
    const { disarmed } = await session.call("disarm_faults", id === undefined ? {} : { rule_id: id });
    if (id !== undefined && disarmed === 0) throw notArmed(id);
    if (context.settings.json) return context.data.json({ disarmed });
    return context.data.line(`disarmed ${disarmed} ${disarmed === 1 ? "fault" : "faults"}`);
  });
}

function notArmed(id: number): CliError {
  return new CliError("NOT_FOUND", `no fault is armed under ${id}`, {
    hint: "minikafka-cli fault list shows those that are",
  });
}
