import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { missingPrograms, offeredVersions } from '@fairway/api/domain/offered-versions';
import { nextPhaseChangeMs, phaseOf } from '@fairway/api/domain/release-phase';
import { releaseProblems } from '@fairway/api/domain/release-problems';
import { followedMinor } from '@fairway/api/domain/update-policy';
import { MAINTENANCE_ANNOTATION, RETRY_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease, KubernetesReleaseStatus } from '@fairway/api/kinds/kubernetes-release';
import { type RolloutStatus, rolloutSpec } from '@fairway/api/kinds/rollout';
import type { Informer } from '@fairway/kube/client/informer';
import { type ConditionState, findCondition, setCondition } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ofRuntime } from '@fairway/tenancy/reconcile/runtime-problem';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import type { InUse } from './in-use.ts';
import { nextOpeningMs, nextRollout, nextTimeoutMs } from './rollout.ts';

export interface ReleaseOptions extends Pick<ControllerDependencies, 'clock' | 'events' | 'runtime'> {
  readonly informer: Informer<KubernetesRelease>;
  readonly inUse: InUse<KubernetesRelease>;
}

/** How often the runtime is asked which versions it can run, where that may change. */
const PROGRAMS_MS = 60_000;
const IN_USE_RETRY_MS = 60_000;
/** Timers hold 24 days at most. */
const MAX_WAIT_MS = 86_400_000;

/** Tells what can be used of a release and until when it is supported, and decides who takes its newest patch. */
export class ReleaseReconciler {
  readonly #options: ReleaseOptions;

  constructor(options: ReleaseOptions) {
    this.#options = options;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { informer, inUse, clock, runtime, events } = this.#options;
    const found = informer.get(key);
    if (found === undefined) return {};
    const pass = new Pass(context, clock);
    const held = await pass.run(() => inUse.ensureHeld(found));
    const release = held.value ?? found;
    const released = await pass.run(() => inUse.releaseDeleted(release, pass.signal));
    if (isBeingDeleted(release) && released.failure === undefined && released.value === undefined) return pass.end();
    if (released.value) pass.againIn(IN_USE_RETRY_MS);
    const runnable = await pass.run(() => ofRuntime(runtime.versions()));
    if (runnable.failure || runnable.value) pass.againIn(PROGRAMS_MS);
    const problem = held.failure ?? released.failure ?? runnable.failure ?? released.value;
    const previous = release.status;
    const programs = runnable.failure ? previous?.available : runnable.value;
    const { value: status } = await pass.run(async () => this.#statusOf(release, programs, problem));
    if (status === undefined) return pass.end();
    const nowMs = clock.now();
    this.#wakeAt(pass, nextPhaseChangeMs(release, nowMs), nowMs);
    if (status.rollout) {
      this.#wakeAt(pass, nextTimeoutMs(status.rollout, rolloutSettings(release)), nowMs);
      this.#wakeAt(pass, nextOpeningMs(status.rollout, this.#followersOf(release), nowMs), nowMs);
    }
    return pass.end(async () => {
      await writeStatus(informer.client, release, status);
      const { rollout } = status;
      if (rollout?.state !== 'Halted' || previous?.rollout?.state === 'Halted') return;
      events.warning(release, ConditionReason.RolloutHalted, haltMessage(release, rollout));
    });
  }

  #wakeAt(pass: Pass, atMs: number | undefined, nowMs: number): void {
    if (atMs !== undefined) pass.againIn(Math.min(Math.max(atMs - nowMs, 0) + 1, MAX_WAIT_MS));
  }

  #statusOf(
    release: KubernetesRelease,
    programs: readonly string[] | undefined,
    problem: Problem | undefined,
  ): KubernetesReleaseStatus {
    const nowMs = this.#options.clock.now();
    const { patches } = release.spec;
    const available = patches
      .filter(({ version, withdrawn }) => !withdrawn && (programs?.includes(version) ?? true))
      .map(({ version }) => version)
      .slice(0, 50);
    const now: KubernetesRelease = { ...release, status: { ...release.status, available } };
    const newest = offeredVersions([now], nowMs).findLast((patch) => patch.problem === undefined)?.version;
    const rollout = newest === undefined ? undefined : this.#rolloutOf(release, newest, nowMs);
    const ready = problem ? conditionUnmet(ConditionType.Ready, problem) : readyState(now, programs);
    const states = [ready, ...(rollout ? [rolledOutState(release, rollout)] : [])];
    const generation = release.metadata.generation ?? 0;
    let conditions = (release.status?.conditions ?? []).filter(
      ({ type }) => rollout || type !== ConditionType.RolledOut,
    );
    for (const state of states) {
      conditions = [...setCondition(conditions, { ...state, observedGeneration: generation }, nowMs)];
    }
    return {
      observedGeneration: generation,
      conditions,
      phase: phaseOf(release, nowMs),
      ...(newest !== undefined && { newest }),
      available,
      ...(rollout && { rollout }),
    };
  }

  #followersOf(release: KubernetesRelease): readonly Cluster[] {
    const { minor } = release.spec;
    const users = this.#options.inUse.usersOf(release);
    return users.filter((cluster) => followedMinor(cluster) === minor && !isBeingDeleted(cluster));
  }

  #rolloutOf(release: KubernetesRelease, target: string, nowMs: number): RolloutStatus {
    const { runtime } = this.#options;
    return nextRollout({
      settings: rolloutSettings(release),
      target,
      followers: this.#followersOf(release),
      isSeamless: runtime.spread.replicas > 1,
      previous: release.status?.rollout,
      retryRequested: release.metadata.annotations?.[RETRY_ANNOTATION],
      nowMs,
    });
  }
}

/** With defaults, which a stored object of before does not have. */
export function rolloutSettings({ spec }: KubernetesRelease) {
  return rolloutSpec.parse(spec.rollout ?? {});
}

function readyState(release: KubernetesRelease, programs: readonly string[] | undefined): ConditionState {
  const type = ConditionType.Ready;
  const problems = releaseProblems(release);
  if (problems.length > 0) {
    return conditionUnmet(type, { reason: ConditionReason.ConfigurationInvalid, message: problems.join('; ') });
  }
  const wanted = release.spec.patches.findLast(({ withdrawn }) => !withdrawn)?.version;
  const available = release.status?.available ?? [];
  if (programs === undefined || wanted === undefined || available.includes(wanted)) return conditionMet(type);
  const known = new Set(release.spec.patches.map(({ version }) => version));
  const unlisted = programs.filter((version) => version.startsWith(`${release.spec.minor}.`) && !known.has(version));
  const hint =
    unlisted.length === 0 ? '' : `, or adds ${unlisted.slice(0, 3).join(', ')}, which is here, to spec.patches`;
  const message = `${missingPrograms(wanted)}${hint}`;
  if (available.length === 0) return conditionUnmet(type, { reason: ConditionReason.ProgramsMissing, message });
  return { ...conditionMet(type), message };
}

function rolledOutState(release: KubernetesRelease, rollout: RolloutStatus): ConditionState {
  const type = ConditionType.RolledOut;
  switch (rollout.state) {
    case 'Complete':
      return conditionMet(type);
    case 'Halted':
      return conditionUnmet(type, { reason: ConditionReason.RolloutHalted, message: haltMessage(release, rollout) });
    case 'Paused':
      return conditionUnmet(type, {
        reason: ConditionReason.RolloutHalted,
        message: `spec.rollout.paused: no further cluster takes ${rollout.version}`,
      });
    case 'Canaries':
    case 'Rolling': {
      const message = `${rollout.version} is being rolled out; status.rollout tells how far it is`;
      return conditionUnmet(type, { reason: ConditionReason.Updating, message });
    }
  }
}

function haltMessage({ metadata }: KubernetesRelease, { version, failed }: RolloutStatus): string {
  const named = failed.slice(0, 3).map(({ namespace, name, message }) => `${namespace}/${name} ${message}`);
  const more = failed.length > 3 ? `; ${failed.length - 3} more` : '';
  return (
    `no further cluster takes ${version}, because ${named.join('; ')}${more}. ` +
    `It goes on when they are ready; to try them again: kubectl annotate kubernetesrelease ${metadata.name} ${RETRY_ANNOTATION}="$(date)" --overwrite; ` +
    `to give the patch up: set withdrawn: true for ${version} in spec.patches`
  );
}

/** Whether a Cluster changed in what a rollout depends on. */
export function isRolloutRelevant(old: Cluster, cluster: Cluster): boolean {
  return viewOf(old) !== viewOf(cluster);
}

function viewOf({ metadata, spec, status }: Cluster): string {
  return JSON.stringify([
    metadata.labels,
    metadata.annotations?.['fairway.dev/paused'],
    metadata.deletionTimestamp,
    spec.version,
    metadata.annotations?.[MAINTENANCE_ANNOTATION],
    spec.maintenance,
    spec.updatePolicy,
    status?.version,
    status?.desiredVersion,
    status?.hibernation?.wanted,
    findCondition(status?.conditions, ConditionType.ControlPlaneReady)?.status,
    findCondition(status?.conditions, ConditionType.Ready)?.status,
  ]);
}
