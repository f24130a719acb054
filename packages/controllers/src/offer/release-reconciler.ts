import { unappliedPins } from '@fairway/addons/unapplied-pins';
import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { forcedUpgradeGate } from '@fairway/api/domain/forced-gate';
import { maintenanceGate } from '@fairway/api/domain/maintenance-gate';
import { missingBinariesMessage, offeredVersions } from '@fairway/api/domain/offered-versions';
import { nextPhaseChangeMs, phaseOf } from '@fairway/api/domain/release-phase';
import { releaseProblems } from '@fairway/api/domain/release-problems';
import { requestValueOf } from '@fairway/api/domain/request';
import { describeUnapplied } from '@fairway/api/domain/unapplied-fields';
import { minorOf } from '@fairway/api/domain/version-numbers';
import { RETRY_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease, KubernetesReleaseStatus } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { Informer } from '@fairway/kube/client/informer';
import { type ConditionState, setConditions } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { clustersByForcedUpgrade } from '@fairway/tenancy/cache-indexes';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { wrapRuntimeError } from '@fairway/tenancy/reconcile/runtime-problem';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { type ForcedRolloutFacts, forcedFollowers, nextForcedRollout, nextPlannedMs } from './forced-rollout.ts';
import type { InUseProtection } from './in-use.ts';
import { fieldsApplied } from './reconciler.ts';
import { type GateOf, nextOpeningMs, nextRollout, patchFollowers, rolloutSettings } from './rollout.ts';
import { haltMessage, rolloutState } from './rollout-condition.ts';
import { nextSlotEndMs } from './rollout-slot.ts';
import { PROOF_INTERVAL_MS, WatchTimes } from './watch-times.ts';

export interface ReleaseOptions extends Pick<ControllerDependencies, 'clock' | 'events' | 'runtime'> {
  readonly informer: Informer<KubernetesRelease>;
  readonly clusters: Informer<Cluster>;
  readonly inUse: InUseProtection<KubernetesRelease>;
}

type ForcedRolloutTimes = Pick<ForcedRolloutFacts, 'watchedSinceMs' | 'nowMs'>;

/** How often the runtime is queried for the versions that it can run, if they may change. */
const BINARIES_CHECK_INTERVAL_MS = 60_000;
const IN_USE_RETRY_MS = 60_000;
/** Timers are limited to 24 days. */
const MAX_WAIT_MS = 86_400_000;

/**
 * Reports what is usable in a release and how long it is supported, and decides which clusters are updated to its
 * newest patch.
 */
export class ReleaseReconciler {
  readonly #options: ReleaseOptions;
  readonly #watches = new WatchTimes();

  constructor(options: ReleaseOptions) {
    this.#options = options;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { informer, inUse, clock, runtime, events } = this.#options;
    const found = informer.get(key);
    if (found === undefined) {
      this.#watches.forget(key);
      return {};
    }
    const pass = new Pass(context, clock);
    const held = await pass.run(() => inUse.ensureHeld(found));
    const release = held.value ?? found;
    const releaseResult = await pass.run(() => inUse.releaseDeleted(release, pass.signal));
    if (isBeingDeleted(release) && releaseResult.failure === undefined && releaseResult.value === undefined)
      return pass.end();
    if (releaseResult.value) pass.requeueAfter(IN_USE_RETRY_MS);
    const runnableVersions = await pass.run(() => wrapRuntimeError(runtime.versions()));
    if (runnableVersions.failure || runnableVersions.value) pass.requeueAfter(BINARIES_CHECK_INTERVAL_MS);
    const problem = held.failure ?? releaseResult.failure ?? runnableVersions.failure ?? releaseResult.value;
    const previous = release.status;
    const knownVersions = runnableVersions.failure ? previous?.available : runnableVersions.value;
    const nowMs = clock.now();
    const times = { watchedSinceMs: this.#watches.sinceMs(key, nowMs), nowMs };
    const { value: status } = await pass.run(async () => this.#statusOf(release, knownVersions, problem, times));
    if (status === undefined) return pass.end();
    this.#requeueAt(pass, nextPhaseChangeMs(release, nowMs), nowMs);
    this.#requeueAt(pass, nextPlannedMs(inUse.usersOf(release), release.spec.minor, nowMs), nowMs);
    if (status.rollout)
      this.#requeueForNextStep(
        pass,
        release,
        status.rollout,
        [this.#followerClusters(release), maintenanceGate],
        times,
      );
    if (status.forcedUpgrade) {
      const followers = forcedFollowers(this.#forcedFactsOf(release, times));
      this.#requeueForNextStep(pass, release, status.forcedUpgrade, [followers, forcedUpgradeGate], times);
    }
    return pass.end(async () => {
      await writeStatus(informer.client, release, status);
      await this.#recordProof(release, status, nowMs);
      for (const field of ['rollout', 'forcedUpgrade'] as const) {
        const rollout = status[field];
        if (rollout?.state !== 'Halted' || previous?.[field]?.state === 'Halted') continue;
        events.warning(release, ConditionReason.RolloutHalted, haltMessage(release, rollout));
      }
    });
  }

  /**
   * Clusters cannot make progress in their slot while Fairway's API accepts no writes, so their time counts only while
   * it does.
   */
  async #recordProof(release: KubernetesRelease, { rollout, forcedUpgrade }: KubernetesReleaseStatus, nowMs: number) {
    const { name = '', uid } = release.metadata;
    if ([rollout, forcedUpgrade].some((each) => each !== undefined && each.moving.length > 0)) {
      if (!this.#watches.isProofDue(name, nowMs)) return;
      const emptyPatch = { type: 'merge' as const, value: { metadata: { uid } } };
      await ignoreDeleted(this.#options.informer.client.patch(name, emptyPatch, { subresource: 'status' }));
    }
    this.#watches.prove(name, nowMs);
  }

  #requeueForNextStep(
    pass: Pass,
    release: KubernetesRelease,
    rollout: RolloutStatus,
    [followers, gateOf]: readonly [readonly Cluster[], GateOf],
    { watchedSinceMs, nowMs }: ForcedRolloutTimes,
  ): void {
    this.#requeueAt(pass, nextSlotEndMs(rollout, rolloutSettings(release), watchedSinceMs), nowMs);
    if (rollout.moving.length > 0) pass.requeueAfter(PROOF_INTERVAL_MS);
    this.#requeueAt(pass, nextOpeningMs(rollout, followers, gateOf, nowMs), nowMs);
  }

  #requeueAt(pass: Pass, atMs: number | undefined, nowMs: number): void {
    if (atMs !== undefined) pass.requeueAfter(Math.min(Math.max(atMs - nowMs, 0) + 1, MAX_WAIT_MS));
  }

  #statusOf(
    release: KubernetesRelease,
    knownVersions: readonly string[] | undefined,
    problem: Problem | undefined,
    times: ForcedRolloutTimes,
  ): KubernetesReleaseStatus {
    const { nowMs } = times;
    const { patches } = release.spec;
    const available = patches
      .filter(({ version, withdrawn }) => !withdrawn && (knownVersions?.includes(version) ?? true))
      .map(({ version }) => version)
      .slice(0, 50);
    const now: KubernetesRelease = { ...release, status: { ...release.status, available } };
    const newest = offeredVersions([now], nowMs).findLast((patch) => patch.problem === undefined)?.version;
    const rollout = newest === undefined ? undefined : this.#rolloutOf(release, newest, times);
    const forcedUpgrade = nextForcedRollout(this.#forcedFactsOf(now, times));
    const ready = problem ? conditionUnmet(ConditionType.Ready, problem) : readyState(now, knownVersions);
    const generation = release.metadata.generation ?? 0;
    const { RolledOut, EndOfLifeEnforced } = ConditionType;
    const conditions = setConditions(
      release.status?.conditions,
      {
        [ConditionType.Ready]: ready,
        [ConditionType.FieldsApplied]: fieldsApplied(describeUnapplied(unappliedPins(release))),
        [RolledOut]: rollout && rolloutState(RolledOut, release, rollout),
        [EndOfLifeEnforced]: forcedUpgrade && rolloutState(EndOfLifeEnforced, release, forcedUpgrade),
      },
      { generation, nowMs },
    );
    return {
      observedGeneration: generation,
      conditions: [...conditions],
      phase: phaseOf(release, nowMs),
      ...(newest !== undefined && { newest }),
      available,
      clusters: this.#runningOf(release),
      ...(rollout && { rollout }),
      ...(forcedUpgrade && { forcedUpgrade }),
    };
  }

  #runningOf(release: KubernetesRelease): number {
    const { minor } = release.spec;
    const users = this.#options.inUse.usersOf(release);
    return users.filter(({ status }) => status?.version !== undefined && minorOf(status.version) === minor).length;
  }

  #followerClusters(release: KubernetesRelease): readonly Cluster[] {
    const { inUse, runtime } = this.#options;
    return patchFollowers(inUse.usersOf(release), release.spec.minor, runtime.spread.replicas > 1);
  }

  #forcedFactsOf(release: KubernetesRelease, times: ForcedRolloutTimes): ForcedRolloutFacts {
    const { informer, inUse, clusters } = this.#options;
    const { minor } = release.spec;
    return {
      release,
      releases: informer.list(),
      users: inUse.usersOf(release),
      forced: release.spec.forcedUpgrade ? clusters.find(clustersByForcedUpgrade, minor) : [],
      ...times,
    };
  }

  #rolloutOf(release: KubernetesRelease, target: string, times: ForcedRolloutTimes): RolloutStatus {
    return nextRollout({
      settings: rolloutSettings(release),
      target,
      followers: this.#followerClusters(release),
      gateOf: maintenanceGate,
      previous: release.status?.rollout,
      retryRequested: requestValueOf(release, RETRY_ANNOTATION),
      ...times,
    });
  }
}

function readyState(release: KubernetesRelease, knownVersions: readonly string[] | undefined): ConditionState {
  const type = ConditionType.Ready;
  const problems = releaseProblems(release);
  if (problems.length > 0) {
    return conditionUnmet(type, { reason: ConditionReason.ConfigurationInvalid, message: problems.join('; ') });
  }
  const latestVersion = release.spec.patches.findLast(({ withdrawn }) => !withdrawn)?.version;
  const available = release.status?.available ?? [];
  if (knownVersions === undefined || latestVersion === undefined || available.includes(latestVersion))
    return conditionMet(type);
  const known = new Set(release.spec.patches.map(({ version }) => version));
  const unlistedVersions = knownVersions.filter(
    (version) => version.startsWith(`${release.spec.minor}.`) && !known.has(version),
  );
  const hint =
    unlistedVersions.length === 0
      ? ''
      : `; or add ${unlistedVersions.slice(0, 3).join(', ')}, which is installed, to spec.patches`;
  const message = `${missingBinariesMessage(latestVersion)}${hint}`;
  if (available.length === 0) return conditionUnmet(type, { reason: ConditionReason.ProgramsMissing, message });
  return { ...conditionMet(type), message };
}
