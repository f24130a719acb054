import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import type { LastOperation } from '@fairway/api/kinds/status';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import type { ClusterView } from './cluster-view.ts';
import { operationText } from './operation-text.ts';
import { DONE, type Outcome, RUNNING, type Step } from './step.ts';

/** The condition that a command waits for, as functions of the observed state. */
export interface Goal {
  /** `cluster "demo"`, for messages. */
  readonly subject: string;
  /** The command to follow this operation, if it is not the one for the whole cluster. */
  readonly watch?: string;
  readonly steps: (view: ClusterView) => readonly Step[];
  readonly outcome: (view: ClusterView) => Outcome;
}

/** An object that reports its progress. */
export interface ReportingObject extends KubeObject {
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly conditions?: readonly Condition[] | undefined;
        readonly lastOperation?: LastOperation | undefined;
      }
    | undefined;
}

/** A cluster is ready, and so are the nodes of the given pools. */
export function clusterReady(name: string, poolNames: readonly string[]): Goal {
  return {
    subject: `cluster "${name}"`,
    steps: ({ cluster, pools }) => [
      conditionStep('network', 'network', cluster, 'NetworkReady'),
      conditionStep('control-plane', 'control plane', cluster, 'ControlPlaneReady'),
      ...poolNames.map((poolName) => poolStep(pools, poolName)),
    ],
    outcome: ({ cluster, pools }) => {
      if (cluster === undefined) return notFoundOutcome('the cluster was deleted in the meantime');
      const waiting = poolNames.map((poolName) => pools.find(({ metadata }) => metadata.name === poolName));
      return worstOutcome([cluster, ...waiting].map(readiness));
    },
  };
}

/** The nodes of a pool match its spec. */
export function poolReady(name: string): Goal {
  return {
    subject: `node pool "${name}"`,
    steps: ({ pools }) => [poolStep(pools, name)],
    outcome: ({ pools }) => {
      const pool = pools.find(({ metadata }) => metadata.name === name);
      return pool === undefined ? notFoundOutcome('the pool was deleted in the meantime') : readiness(pool);
    },
  };
}

/** The cluster with this UID and all of its resources are deleted. */
export function clusterDeleted(name: string, uid: string | undefined): Goal {
  return {
    subject: `cluster "${name}"`,
    steps: ({ cluster, machines }) => [
      removalStep('nodes', 'nodes', machines.length),
      deletionStep('cluster', 'network and control plane', cluster?.metadata.uid === uid ? cluster : undefined),
    ],
    outcome: ({ cluster }) => deletion(cluster?.metadata.uid === uid ? cluster : undefined),
  };
}

export function poolDeleted(name: string, uid: string | undefined): Goal {
  return {
    subject: `node pool "${name}"`,
    steps: ({ pools, machines }) => {
      const exists = pools.some(({ metadata }) => metadata.uid === uid);
      const left = machines.filter(({ spec }) => spec.nodePoolName === name).length;
      return [removalStep(`pool ${name}`, `pool ${name}`, exists ? left : 0, exists)];
    },
    outcome: ({ pools }) => {
      const pool = pools.find(({ metadata }) => metadata.uid === uid);
      return pool === undefined ? DONE : deletion(pool);
    },
  };
}

/** A machine is deleted, and its pool is complete again. */
export function machineReplaced(name: string, uid: string | undefined, poolName: string): Goal {
  return {
    subject: `machine "${name}"`,
    steps: ({ machines, pools }) => {
      const machine = machines.find(({ metadata }) => metadata.uid === uid);
      return [deletionStep(`machine ${name}`, `machine ${name}`, machine), poolStep(pools, poolName)];
    },
    outcome: ({ machines, pools }) => {
      const machine = machines.find(({ metadata }) => metadata.uid === uid);
      if (machine !== undefined) return deletion(machine);
      const pool = pools.find(({ metadata }) => metadata.name === poolName);
      // A pool that is deleted or being deleted creates no replacement.
      return pool === undefined || pool.metadata.deletionTimestamp !== undefined ? DONE : readiness(pool);
    },
  };
}

/** Whether an object matches its spec. A status for an older generation is ignored. */
export function readiness(object: ReportingObject | undefined): Outcome {
  if (object?.status === undefined) return RUNNING;
  const ready = conditionOf(object, 'Ready');
  if (isCurrent(object) && ready?.status === 'True') return DONE;
  return pause(object) ?? (isCurrent(object) ? failureOutcome(object, ready) : RUNNING);
}

/** Whether an object is deleted. */
export function deletion(object: ReportingObject | undefined): Outcome {
  if (object === undefined) return DONE;
  return pause(object) ?? failureOutcome(object, conditionOf(object, 'Ready'));
}

function pause(object: ReportingObject): Outcome | undefined {
  const paused = conditionOf(object, 'Paused');
  if (paused?.status !== 'True') return undefined;
  return { state: 'blocked', reason: paused.reason, message: paused.message };
}

function failureOutcome({ status }: ReportingObject, ready: Condition | undefined): Outcome {
  const { reason = 'Unknown', message = '' } = ready ?? {};
  const operation = status?.lastOperation;
  if (operation?.state === 'Failed') return { state: 'failed', reason, message: message || operation.description };
  // A newer server may have reasons that this client does not recognise.
  const actor: string | undefined = actionRequiredBy(reason as ConditionReason);
  return actor === 'user' || actor === 'operator' ? { state: 'blocked', reason, message } : RUNNING;
}

/** The outcome for an object that was not found: the awaited state can no longer be reached. */
export function notFoundOutcome(message: string): Outcome {
  return { state: 'failed', reason: 'NotFound', message };
}

const SEVERITY: readonly Outcome['state'][] = ['done', 'running', 'blocked', 'failed'];

/** The worst of the outcomes, which determines the overall outcome. */
export function worstOutcome(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((a, b) => (SEVERITY.indexOf(b.state) > SEVERITY.indexOf(a.state) ? b : a), DONE);
}

function conditionStep(key: string, title: string, object: ReportingObject | undefined, type: string): Step {
  const condition = object && isCurrent(object) ? conditionOf(object, type) : undefined;
  if (condition === undefined) return { key, title, state: 'waiting', detail: '' };
  if (condition.status === 'True') return { key, title, state: 'done', detail: '' };
  return { key, title, state: 'running', detail: condition.message };
}

function poolStep(pools: ClusterView['pools'], name: string): Step {
  const title = `pool ${name}`;
  const pool = pools.find(({ metadata }) => metadata.name === name);
  if (pool === undefined || !isCurrent(pool)) return { key: title, title, state: 'waiting', detail: '' };
  const share = `${pool.status?.readyReplicas ?? 0}/${pool.status?.desiredReplicas ?? pool.spec.replicas} nodes are ready`;
  const ready = conditionOf(pool, 'Ready');
  if (ready?.status === 'True') return { key: title, title, state: 'done', detail: share };
  const progress = { done: pool.status?.readyReplicas ?? 0, total: pool.status?.desiredReplicas ?? pool.spec.replicas };
  const { lastOperation } = pool.status ?? {};
  const detail = lastOperation === undefined ? ready?.message || share : operationText(lastOperation);
  return { key: title, title, state: 'running', detail, progress };
}

function removalStep(key: string, title: string, left: number, exists = left > 0): Step {
  if (!exists) return { key, title, state: 'done', detail: 'gone' };
  return { key, title, state: 'running', detail: `${left} left` };
}

function deletionStep(key: string, title: string, object: ReportingObject | undefined): Step {
  if (object === undefined) return { key, title, state: 'done', detail: 'gone' };
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const detail = isDeleting ? (conditionOf(object, 'Ready')?.message ?? '') : '';
  return { key, title, state: 'running', detail };
}

function isCurrent({ metadata, status }: ReportingObject): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

function conditionOf({ status }: ReportingObject, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
