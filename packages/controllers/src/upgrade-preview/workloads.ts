import { ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import type { UpgradeFinding } from '@fairway/api/kinds/upgrade-plan-request';
import type { PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { compileLabelSelector, type LabelMatcher, matchesLabels } from '@fairway/kube/object/selector';
import { staysWithNode } from '@fairway/scheduling/node-removal';
import { usesResources } from '@fairway/scheduling/node-state';
import { formatDuration } from './estimate.ts';
import type { Yield } from './pace.ts';
import type { PoolUpdate } from './pool-updates.ts';
import type { PodFacts, TenantFacts } from './tenant-facts.ts';
import { truncateObjects } from './truncate-objects.ts';

/** The maximum number of budgets reported individually. */
const MAX_BUDGETS = 50;
/** The maximum number of budgets reported for one pod. */
const MAX_BUDGETS_PER_POD = 3;

interface Budget {
  readonly name: string;
  readonly matcher: LabelMatcher;
  readonly budget: PodDisruptionBudget;
}

interface BlockedDrain {
  readonly pods: string[];
  readonly nodes: Set<string>;
  longestMs: number;
  /** Whether a node waits indefinitely (onDrainTimeout: Hold). */
  isHeld: boolean;
}

/** The effects on drained nodes' pods: what blocks them, and what is lost with them. */
export async function workloadFindings(
  renewals: readonly PoolUpdate[],
  { pods, budgets }: Pick<TenantFacts, 'pods' | 'budgets'>,
  pause: Yield,
): Promise<UpgradeFinding[]> {
  const drained = drainedNodes(renewals);
  const byNamespace = compile(budgets);
  const blocked = new Map<Budget, BlockedDrain>();
  const contested: string[] = [];
  let isContestHeld = false;
  const bare: string[] = [];
  const local: string[] = [];
  for (const facts of pods) {
    await pause();
    const { pod } = facts;
    const { metadata, spec } = pod;
    const renewal = drained.get(spec.nodeName ?? '');
    if (
      renewal === undefined ||
      !usesResources(pod) ||
      staysWithNode(pod) ||
      metadata.deletionTimestamp !== undefined
    ) {
      continue;
    }
    const name = `${metadata.namespace}/${metadata.name}`;
    if (!metadata.ownerReferences?.some(({ controller }) => controller)) bare.push(name);
    else if (facts.hasLocalData) local.push(name);
    const matching = (byNamespace.get(metadata.namespace ?? '') ?? []).filter(({ matcher }) =>
      matchesLabels(matcher, metadata.labels),
    );
    // The eviction API does not check budgets for a pod that is not running yet.
    if (pod.status?.phase === 'Pending') continue;
    if (matching.length > 1) {
      contested.push(`${name}: ${namesOf(matching)}`);
      isContestHeld ||= isHeld(renewal);
    }
    const [only] = matching;
    if (matching.length !== 1 || only === undefined || allowsEviction(facts, only.budget)) continue;
    const of = blocked.get(only) ?? { pods: [], nodes: new Set(), longestMs: 0, isHeld: false };
    blocked.set(only, of);
    of.pods.push(name);
    of.nodes.add(spec.nodeName ?? '');
    of.isHeld ||= isHeld(renewal);
    of.longestMs = Math.max(of.longestMs, renewal.drainTimeoutMs ?? 0);
  }
  return [
    ...budgetFindings(blocked),
    ...contestedFindings(contested, isContestHeld),
    ...(bare.length === 0
      ? []
      : [{ type: 'UnmanagedPods', effect: 'Loses', message: BARE, ...truncateObjects(bare) } as const]),
    ...(local.length === 0
      ? []
      : [{ type: 'LocalStorage', effect: 'Loses', message: LOCAL, ...truncateObjects(local) } as const]),
  ];
}

const BARE = 'these pods have no controller to recreate them: they are lost with their node';
const LOCAL = "these pods move, and lose their data on the node's disk (emptyDir, hostPath)";

function drainedNodes(renewals: readonly PoolUpdate[]): ReadonlyMap<string, PoolUpdate> {
  return new Map(
    renewals.flatMap((renewal) => renewal.outdated.map(({ machine }) => [nodeNameOf(machine), renewal] as const)),
  );
}

export function nodeNameOf({ metadata, status }: PoolUpdate['outdated'][number]['machine']): string {
  return status?.nodeName ?? metadata.name ?? '';
}

function compile(budgets: readonly PodDisruptionBudget[]): ReadonlyMap<string, readonly Budget[]> {
  const compiled = budgets.map((budget): Budget => {
    const { namespace, name } = budget.metadata;
    return { name: `${namespace}/${name}`, matcher: compileLabelSelector(budget.spec?.selector), budget };
  });
  return Map.groupBy(compiled, ({ budget }) => budget.metadata.namespace ?? '');
}

/** Whether the eviction API would permit the eviction now (kubernetes.io/docs/tasks/run-application/configure-pdb, unhealthyPodEvictionPolicy). */
function allowsEviction({ isReady }: PodFacts, { spec, status }: PodDisruptionBudget): boolean {
  if ((status?.disruptionsAllowed ?? 0) > 0) return true;
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

function budgetFindings(blocked: ReadonlyMap<Budget, BlockedDrain>): UpgradeFinding[] {
  const reported = [...blocked].slice(0, MAX_BUDGETS).map(([{ name, budget }, found]): UpgradeFinding => {
    const { pods, nodes, longestMs, isHeld: held } = found;
    const end = held
      ? 'each drain waits until they are gone, or until you force it (onDrainTimeout: Hold)'
      : `each drain waits for up to ${formatDuration(longestMs / 1000)} (drainTimeout), then proceeds regardless`;
    const message = `PodDisruptionBudget ${name} allows no eviction now: ${noDisruptionReason(budget)}. It blocks pods on ${pluralize(nodes.size, 'node')}: ${end}`;
    return {
      type: ConditionReason.PodDisruptionBudget,
      effect: held ? 'Blocks' : 'Delays',
      message,
      ...truncateObjects(pods),
    };
  });
  const rest = [...blocked.keys()].slice(MAX_BUDGETS).map(({ name }) => name);
  if (rest.length === 0) return reported;
  const message = 'these PodDisruptionBudgets also allow no eviction now';
  return [
    ...reported,
    { type: ConditionReason.PodDisruptionBudget, effect: 'Delays', message, ...truncateObjects(rest) },
  ];
}

function noDisruptionReason({ status }: PodDisruptionBudget): string {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = status ?? {};
  if (status?.expectedPods === undefined) return 'its pods have not been counted yet';
  if (desiredHealthy >= expectedPods) {
    return `it requires ${desiredHealthy} healthy pods and ${expectedPods} exist, so none can ever be evicted; run more replicas, or relax it`;
  }
  return `${currentHealthy} of its ${expectedPods} pods are healthy, and it requires ${desiredHealthy}`;
}

/** A tenant may have two thousand budgets for each of thirty thousand pods. */
function namesOf(budgets: readonly Budget[]): string {
  const names = budgets.slice(0, MAX_BUDGETS_PER_POD).map(({ name }) => name);
  const more = budgets.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function contestedFindings(contested: readonly string[], held: boolean): UpgradeFinding[] {
  if (contested.length === 0) return [];
  const end = held ? 'until you force it (onDrainTimeout: Hold)' : 'until their drain times out (drainTimeout)';
  const message = `Kubernetes does not evict pods that several PodDisruptionBudgets select: their nodes wait ${end}; make only one budget select each`;
  const effect = held ? 'Blocks' : 'Delays';
  return [{ type: ConditionReason.PodDisruptionBudget, effect, message, ...truncateObjects(contested) }];
}

/** Whether the pool's nodes wait for their pods beyond drainTimeout. */
function isHeld({ pool }: PoolUpdate): boolean {
  return pool.spec.upgradeStrategy.onDrainTimeout === 'Hold';
}
