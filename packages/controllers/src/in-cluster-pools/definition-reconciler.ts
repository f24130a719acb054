import { coversObject } from '@fairway/addons/covers';
import {
  DEFINITION,
  DEFINITION_NAME,
  DEFINITIONS,
  type DefinitionState,
  definitionState,
  ROLES,
  repairedDefinition,
  SEEN_DEFINITIONS,
  type SeenDefinition,
  seenDefinition,
} from '@fairway/addons/node-pools/definition';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ClusterRoles } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { causeOf, isRefusal } from '../addons/apply-object.ts';

/** The field manager of Fairway's definition in tenants' clusters. */
export const FIELD_MANAGER = 'fairway-node-pools';

/** The minimum interval between two writes to a definition that someone else keeps changing; doubles each time. */
const CHECK_INTERVAL_MS = 30_000;
const MAX_INTERVAL_MS = 900_000;
/** How often the permissions of the kind's users are checked. */
const ROLES_INTERVAL_MS = 3_600_000;

/** The state of the definition, and when to check again without an event. */
export interface DefinitionResult {
  readonly state: DefinitionState | 'unknown';
  /** Why Fairway cannot bring the definition to the desired state; undefined otherwise. */
  readonly problem?: string | undefined;
  readonly requeueAfterMs?: number | undefined;
}

/** Maintains the definition in one tenant's cluster, and the permissions to use it, as long as the connection lasts. */
export class DefinitionReconciler {
  readonly #tenant: TenantCluster;
  readonly #clock: Clock;
  readonly #informer: Informer<SeenDefinition>;
  #writes = 0;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #rolesAppliedMs = Number.NEGATIVE_INFINITY;
  #refusal: string | undefined;

  constructor(tenant: TenantCluster, clock: Clock, onChange: () => void) {
    this.#tenant = tenant;
    this.#clock = clock;
    this.#informer = tenant.informers.informer(SEEN_DEFINITIONS, {
      fieldSelector: `metadata.name=${DEFINITION_NAME}`,
      trim: seenDefinition,
    });
    this.#informer.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
    void this.#informer.whenSynced(tenant.signal).then(onChange, () => {});
  }

  /** The definition as last observed; undefined if it does not exist, or is not known yet. */
  get seen(): SeenDefinition | undefined {
    return this.#informer.get(DEFINITION_NAME);
  }

  /** Creates or repairs the definition if due. Rejects with a TenantApiError if the API does not respond. */
  async reconcile(signal: AbortSignal): Promise<DefinitionResult> {
    if (!this.#informer.hasSynced) return { state: 'unknown' };
    const state = this.seen?.state ?? 'missing';
    if (state === 'served') {
      await this.#applyRoles(signal);
      return { state };
    }
    if (state !== 'missing' && state !== 'drifted') return { state };
    const waitMs = this.#dueMs() - this.#clock.now();
    if (waitMs > 0) return { state, problem: this.#refusal, requeueAfterMs: waitMs };
    await this.#write(state, signal);
    return { state, problem: this.#refusal, requeueAfterMs: this.#dueMs() - this.#clock.now() };
  }

  /**
   * Whether the definition is the same as in the last check, served and not being deleted. If so, a change in an object
   * read since then was made by a user.
   */
  async isUnchanged(signal: AbortSignal): Promise<boolean> {
    const { seen } = this;
    const resource = this.#tenant.client.resource(DEFINITIONS);
    const live = await wrapTenantError(undefinedIfNotFound(resource.get(DEFINITION_NAME, { signal })));
    if (live === undefined || seen === undefined || definitionState(live) !== 'served') return false;
    const { uid, generation } = live.metadata;
    return uid === seen.metadata.uid && generation === seen.metadata.generation;
  }

  #dueMs(): number {
    if (this.#writes === 0) return Number.NEGATIVE_INFINITY;
    return this.#writtenAtMs + Math.min(CHECK_INTERVAL_MS * 2 ** (this.#writes - 1), MAX_INTERVAL_MS);
  }

  async #write(state: 'missing' | 'drifted', signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.now();
    if (nowMs - this.#writtenAtMs > 2 * MAX_INTERVAL_MS) this.#writes = 0;
    const options = { fieldManager: FIELD_MANAGER, signal };
    const resource = this.#tenant.client.resource(DEFINITIONS);
    try {
      if (state === 'missing') await wrapTenantError(resource.create(DEFINITION, options));
      else {
        const live = await wrapTenantError(resource.get(DEFINITION_NAME, { signal }));
        if (definitionState(live) === 'drifted')
          await wrapTenantError(resource.update(repairedDefinition(live), options));
      }
      this.#refusal = undefined;
    } catch (error) {
      const cause = causeOf(error);
      // The definition is being changed right now: the watch will report it.
      if (!isApiError(cause, 'AlreadyExists', 'Conflict', 'NotFound')) {
        if (!isRefusal(cause)) throw error;
        this.#refusal = `the cluster's API server rejected the NodePool CustomResourceDefinition: ${cause.message.slice(0, 300)}`;
      }
    }
    this.#writes = Math.min(this.#writes + 1, 30);
    this.#writtenAtMs = nowMs;
    this.#rolesAppliedMs = Number.NEGATIVE_INFINITY;
  }

  async #applyRoles(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.now();
    if (nowMs - this.#rolesAppliedMs < ROLES_INTERVAL_MS) return;
    const resource = this.#tenant.client.resource(ClusterRoles);
    for (const role of ROLES) {
      const live = await wrapTenantError(undefinedIfNotFound(resource.get(role.metadata.name ?? '', { signal })));
      if (coversObject(live, role)) continue;
      try {
        await wrapTenantError(resource.apply(role, { fieldManager: FIELD_MANAGER, force: true, signal }));
      } catch (error) {
        if (!isRefusal(causeOf(error))) throw error;
      }
    }
    this.#rolesAppliedMs = nowMs;
  }
}
