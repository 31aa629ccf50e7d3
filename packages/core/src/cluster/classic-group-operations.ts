/**
 * What a cluster does for members of classic groups.
 *
 * Invariant: answered only while running.
 */
import type { Wait } from "../coordinator/give-up.ts";
import type { ClassicCoordinator, LeftMember } from "../group/classic/classic-coordinator.ts";
import type { Joined, Synced } from "../group/classic/classic-events.ts";
import type {
  ClassicHeartbeatRequest,
  ClassicJoinRequest,
  ClassicLeaveRequest,
  ClassicSyncRequest,
} from "../group/classic/classic-requests.ts";
import type { Lifecycle } from "./lifecycle.ts";

export class ClassicGroupOperations {
  readonly #lifecycle: Lifecycle;
  readonly #coordinator: ClassicCoordinator;

  constructor(lifecycle: Lifecycle, coordinator: ClassicCoordinator) {
    this.#lifecycle = lifecycle;
    this.#coordinator = coordinator;
  }

  /** See ClassicCoordinator.join. Rejects with SHUTTING_DOWN besides, as all of these. */
  async join(request: ClassicJoinRequest, wait?: Wait): Promise<Joined> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.join(request, wait);
  }

  /** See ClassicCoordinator.sync. */
  async sync(request: ClassicSyncRequest, wait?: Wait): Promise<Synced> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.sync(request, wait);
  }

  /** See ClassicCoordinator.heartbeat. */
  async heartbeat(request: ClassicHeartbeatRequest, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    await this.#coordinator.heartbeat(request, wait);
  }

  /** See ClassicCoordinator.leave. */
  async leave(request: ClassicLeaveRequest, wait?: Wait): Promise<LeftMember[]> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.leave(request, wait);
  }
}
