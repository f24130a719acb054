import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { systemClock } from '@fairway/base/clock';
import type { Outcome, Situation } from '@fairway/controllers/autoscaling/testing/situation';
import {
  budgetsOf,
  daemonSetsOf,
  type NodeNames,
  namesOfNodes,
  outcomeOf,
  podsOf,
  poolName,
  poolsOf,
  priorityClassesOf,
  replicaSetsOf,
  volumesOf,
} from '@fairway/controllers/autoscaling/testing/situation-objects';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import {
  ConfigMaps,
  DaemonSets,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  Pods,
  PriorityClasses,
  ReplicaSets,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { clientOf } from '../session/client-of.ts';
import { RunningFairway, run } from '../session/running-fairway.ts';
import { ClusterAutoscaler } from './cluster-autoscaler.ts';
import { exhaustFlavor } from './simulator-faults.ts';

/** The pods' namespace. */
const TEAM = { namespace: 'default' };
/** Decisions are considered complete after this long without a new one. */
const QUIET_MS = 20_000;
const MAX_MS = 240_000;

/** Without Fairway's pod network, whose pods would use resources on each node; as in Fairway's own runs. */
const CLUSTER = `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: demo}
spec: {cni: {type: none}, autoscaler: {mode: External}}
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: system}
spec: {clusterName: demo, flavor: b3-8, replicas: 1}
`;

export interface UpstreamOptions {
  readonly program: string;
  /** Contains all state, and the autoscaler's log. */
  readonly folder: string;
}

/** A Fairway with one cluster, which contains all scenarios and has a real control plane. */
class UpstreamComparison implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #scenarios: readonly Situation[];
  readonly #options: UpstreamOptions;
  #own!: KubeClient;
  /** A client for Fairway's API. */
  #namespaceOptions!: { readonly namespace: string };
  #tenant!: KubeClient;
  #nodes: NodeNames = new Map();

  constructor(scenarios: readonly Situation[], options: UpstreamOptions) {
    this.#scenarios = scenarios;
    this.#options = options;
  }

  async begin(): Promise<RunningFairway> {
    const { folder } = this.#options;
    const home = join(folder, 'home');
    const listen = ['--listen', '127.0.0.1:0', '--external-autoscaler-listen', '127.0.0.1:0'];
    const fairway = await RunningFairway.start(home, ...listen, '--control-plane', 'process', '--cloud-check', '3s');
    this.#stack.defer(async () => void (await fairway.stop()));
    this.#own = await this.#clientOf(fairway.kubeconfig);
    this.#namespaceOptions = { namespace: fairway.namespace };
    const manifest = join(folder, 'cluster.yaml');
    await writeFile(manifest, CLUSTER);
    await cli(fairway, 'cluster', 'create', '-f', manifest);
    const kubeconfig = this.kubeconfig;
    await writeFile(kubeconfig, await cli(fairway, 'kubeconfig', 'demo'), { mode: 0o600 });
    this.#tenant = await this.#clientOf(kubeconfig);
    // The cluster's own pods get a node before any other pods exist.
    await this.#waitForPods((pods) => pods.filter(isSystem).every(({ status }) => status?.phase === 'Running'));
    return fairway;
  }

  get kubeconfig(): string {
    return join(this.#options.folder, 'demo.kubeconfig');
  }

  /** Creates all pools with their nodes, before any scaling. */
  async makePools(fairway: RunningFairway): Promise<void> {
    const pools = this.#own.resource<NewNodePool>(nodePools);
    let nodes = 1;
    for (const scenario of this.#scenarios) {
      if (scenario.outOfStock !== undefined) await exhaustFlavor(fairway.cloudsYaml, scenario.outOfStock);
      for (const { name, spec } of poolsOf(scenario)) {
        nodes += spec.replicas ?? 0;
        await pools.create({ metadata: { name, ...this.#namespaceOptions }, spec: { clusterName: 'demo', ...spec } });
      }
    }
    const created = await eventually(
      this.#own.resource<Machine>(machines),
      this.#namespaceOptions,
      (all) => all.length === nodes && all.every(({ status }) => status?.phase === 'Ready'),
    );
    this.#nodes = namesOfNodes(created);
  }

  /** Creates all objects of the scenarios, and waits until pods run or wait as specified. */
  async createPods(): Promise<void> {
    const tenant = this.#tenant;
    await eventually(tenant.resource(ServiceAccounts), TEAM, (all) =>
      all.some(({ metadata }) => metadata.name === 'default'),
    );
    for (const scenario of this.#scenarios) {
      for (const each of priorityClassesOf(scenario)) await tenant.resource(PriorityClasses).create(each);
      for (const { volume, claim } of volumesOf(scenario)) {
        await tenant.resource(PersistentVolumes).create(volume);
        await tenant.resource(PersistentVolumeClaims).create(claim);
      }
      for (const each of daemonSetsOf(scenario)) await tenant.resource(DaemonSets).create(each);
      for (const each of budgetsOf(scenario)) await tenant.resource(PodDisruptionBudgets).create(each);
    }
    const placed = this.#scenarios.flatMap((scenario) => podsOf(scenario, this.#nodes));
    for (const { pod } of placed) await tenant.resource(Pods).create(pod);
    const bound = new Set(placed.filter(({ isWaiting }) => !isWaiting).map(({ pod }) => pod.metadata.name));
    const isSettled = (pod: Pod) =>
      bound.has(pod.metadata.name) ? pod.status?.phase === 'Running' : isUnschedulable(pod);
    const own = new Set(placed.map(({ pod }) => pod.metadata.name));
    const ownPods = (pods: readonly Pod[]) => pods.filter(({ metadata }) => own.has(metadata.name));
    await this.#waitForPods((pods) => {
      const [misplacedPod] = ownPods(pods).filter((pod) => !isSettled(pod));
      if (misplacedPod)
        throw new Error(`pod ${misplacedPod.metadata.name} is not on the node that the scenario specifies`);
      return ownPods(pods).length === own.size;
    });
    for (const { pod, isBeingDeleted } of placed) {
      const { name = '', namespace = '' } = pod.metadata;
      if (isBeingDeleted) await tenant.resource(Pods).delete(name, { namespace });
    }
    let owned = 0;
    for (const scenario of this.#scenarios) {
      for (const each of replicaSetsOf(scenario)) {
        owned += each.spec?.replicas ?? 0;
        await tenant.resource(ReplicaSets).create(each);
      }
    }
    // The controllers have adopted the existing pods and have not created any.
    await this.#waitForPods(
      (pods) => ownPods(pods).filter(({ metadata }) => metadata.ownerReferences).length === owned,
    );
    const budgets = this.#scenarios.flatMap(budgetsOf).length;
    await eventually(
      tenant.resource(PodDisruptionBudgets),
      TEAM,
      (all) => all.filter(({ status }) => status?.expectedPods).length === budgets,
    );
  }

  /** Writes the priorities of Fairway's pools in the format that the `priority` expander reads. */
  async writePriorities(): Promise<void> {
    const pools = this.#scenarios.flatMap((scenario) =>
      Object.entries(scenario.pools).map(([name, { priority = 0 }]) => ({
        name: poolName(scenario, name),
        priority,
      })),
    );
    const lines = [...Map.groupBy(pools, ({ priority }) => priority)].flatMap(([priority, own]) => [
      // The expander requires positive priorities.
      `${priority + 1}:`,
      ...own.map(({ name }) => `  - ^${name}$`),
    ]);
    const metadata = { name: 'cluster-autoscaler-priority-expander', namespace: 'kube-system' };
    await this.#tenant.resource(ConfigMaps).create({ metadata, data: { priorities: `${lines.join('\n')}\n` } });
  }

  /** Enables the autoscaler for the pools. */
  async enable(): Promise<void> {
    const names = this.#scenarios.flatMap((scenario) => poolsOf(scenario).map(({ name }) => name));
    const value = { spec: { autoscaling: { enabled: true } } };
    for (const name of names)
      await this.#own.resource(nodePools).patch(name, { type: 'merge', value }, this.#namespaceOptions);
  }

  /** The autoscaler's decisions once they are complete. */
  async waitForDecision(autoscaler: ClusterAutoscaler): Promise<ReadonlyMap<string, Outcome>> {
    const startMs = systemClock.now();
    let known = '';
    let sinceMs = startMs;
    for (;;) {
      const outcomes = await this.#outcomes();
      const state = JSON.stringify([...outcomes]);
      const nowMs = systemClock.now();
      if (state !== known) [known, sinceMs] = [state, nowMs];
      if (autoscaler.hasExited) throw new Error(`cluster-autoscaler ended: see ${this.#options.folder}`);
      if (nowMs - sinceMs >= QUIET_MS) return outcomes;
      if (nowMs - startMs >= MAX_MS) throw new Error(`cluster-autoscaler still decides: ${state}`);
      await systemClock.sleep(1_000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  defer(stop: () => Promise<void>): void {
    this.#stack.defer(stop);
  }

  async #outcomes(): Promise<ReadonlyMap<string, Outcome>> {
    const after = {
      pools: (await this.#own.resource<NodePool>(nodePools).list(this.#namespaceOptions)).items,
      machines: (await this.#own.resource<Machine>(machines).list(this.#namespaceOptions)).items,
      nodes: this.#nodes,
    };
    return new Map(this.#scenarios.map((scenario) => [scenario.key, outcomeOf(scenario, after)]));
  }

  async #clientOf(path: string): Promise<KubeClient> {
    const client = await clientOf(path);
    this.#stack.defer(async () => client.close());
    return client;
  }

  #waitForPods(predicate: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
    return eventually(this.#tenant.resource(Pods), {}, predicate);
  }
}

/** Runs upstream's cluster-autoscaler in all scenarios, in one cluster, through Fairway's externalgrpc service. */
export async function runUpstream(
  scenarios: readonly Situation[],
  options: UpstreamOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  await using comparison = new UpstreamComparison(scenarios, options);
  const fairway = await comparison.begin();
  await comparison.makePools(fairway);
  await comparison.createPods();
  await comparison.writePriorities();
  await comparison.enable();
  const secret = await cli(fairway, 'cluster', 'autoscaler-config', 'demo');
  const folder = join(options.folder, 'cluster-autoscaler');
  const autoscaler = await ClusterAutoscaler.start(options.program, {
    folder,
    secret,
    kubeconfig: comparison.kubeconfig,
  });
  comparison.defer(() => autoscaler.stop());
  try {
    return await comparison.waitForDecision(autoscaler);
  } catch (error) {
    throw new Error(`Fairway said: ${fairway.output}`, { cause: error });
  }
}

async function cli(fairway: RunningFairway, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
  if (code !== 0) throw new Error(`fairway ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function isSystem({ metadata }: Pod): boolean {
  return metadata.namespace === 'kube-system';
}

function isUnschedulable({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') ?? false;
}
