/**
 * The armed faults, and the kernel's passing of the points where they act.
 *
 * Owns: the rules.
 * Invariants: with none armed a pass costs one comparison; rules at one point have their turn in the order of arming, and the
 * first that acts ends the pass; a rule that delays or holds only sees passes that can wait.
 */
import { assert } from "../assert.ts";
import { CrashSignal, FaultError, type FaultOrder, type FaultSite, requireArmable } from "./fault-order.ts";
import { type FaultPoint, isFaultPoint } from "./fault-point.ts";
import { FaultRule } from "./fault-rule.ts";
import type { Tracer } from "./trace.ts";

export interface FaultPointsOptions {
  /** Told of each fault that acts. */
  readonly trace?: Tracer;
  /** Called just before a CrashSignal of `point` is thrown, so that a memory disk can stop in the same instant. */
  readonly onCrash?: (point: FaultPoint) => void;
  /** Resolves after so many milliseconds on the clock that delays count on. Left out: nothing can be delayed. */
  readonly delay?: (delayMs: number) => Promise<void>;
}

export class FaultPoints {
  readonly #rules: FaultRule[] = [];
  readonly #options: FaultPointsOptions;
  #counts: Map<FaultPoint, number> | null = null;

  constructor(options: FaultPointsOptions = {}) {
    this.#options = options;
  }

  /** Whether a pass matters to anybody: something is armed, or passes are counted. */
  get isWatched(): boolean {
    return this.#rules.length > 0 || this.#counts !== null;
  }

  /**
   * Arms a fault until it is disarmed; `id` is its number where it is listed. Throws INVALID_REQUEST for what the point or the cluster
   * cannot do.
   */
  arm(order: FaultOrder, id: number | null = null): FaultRule {
    assert(isFaultPoint(order.point), `no fault point is called ${order.point}`);
    requireArmable(order, this.#options.delay !== undefined);
    const rule = new FaultRule(id, order, (released) => this.disarm(released));
    this.#rules.push(rule);
    return rule;
  }

  /** Disarms one rule, or all. Who is held goes on. */
  disarm(rule?: FaultRule): void {
    const gone = rule === undefined ? [...this.#rules] : this.#rules.filter((each) => each === rule);
    for (const each of gone) {
      this.#rules.splice(this.#rules.indexOf(each), 1);
      each.letGo();
    }
  }

  /** The armed rules, oldest first. */
  rules(): readonly FaultRule[] {
    return this.#rules;
  }

  /** From now on counts the passes of every point, armed or not, so that a test can show what it reached. */
  countHits(): ReadonlyMap<FaultPoint, number> {
    this.#counts ??= new Map();
    return this.#counts;
  }

  /**
   * Called by the kernel as it passes `point` without waiting. Throws FaultError or CrashSignal when a rule acts. `path` is what
   * an error says that it was about, where there is a file.
   */
  hit(point: FaultPoint, site?: FaultSite, path?: string): void {
    const rule = this.#ruleFor(point, site, false);
    if (rule !== undefined) this.#fail(rule, path);
  }

  /** The same where the kernel waits anyway: resolves when it may go on. */
  async waitAt(point: FaultPoint, site?: FaultSite, path?: string): Promise<void> {
    const rule = this.#ruleFor(point, site, true);
    if (rule === undefined) return;
    const { action, delayMs = 0 } = rule.order;
    if (action !== "delay" && action !== "hold") this.#fail(rule, path);
    this.#tell(rule);
    if (action === "hold") await rule.hold();
    else await this.#options.delay?.(delayMs);
  }

  /** Counts the pass, and returns the rule that acts on it. */
  #ruleFor(point: FaultPoint, site: FaultSite | undefined, canWait: boolean): FaultRule | undefined {
    if (this.#counts !== null) this.#counts.set(point, (this.#counts.get(point) ?? 0) + 1);
    if (this.#rules.length === 0) return undefined;
    return this.#rules.find((rule) => (canWait || fails(rule)) && rule.sees(point, site) && rule.takeHit());
  }

  #fail(rule: FaultRule, path?: string): never {
    const { point, action } = rule.order;
    this.#tell(rule);
    if (action === "error") throw new FaultError(rule.order, path);
    this.#options.onCrash?.(point);
    throw new CrashSignal(point);
  }

  #tell({ order: { point, action }, hits: hit, id }: FaultRule): void {
    this.#options.trace?.({ kind: "fault_fired", point, action, hit, ruleId: id });
  }
}

function fails({ order: { action } }: FaultRule): boolean {
  return action === "error" || action === "crash";
}
