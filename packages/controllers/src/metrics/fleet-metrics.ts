import { GROUP } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import type { UsageRecord } from '@fairway/api/kinds/usage-record';
import type { Clock } from '@fairway/base/clock';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import type { Informer } from '@fairway/kube/client/informer';
import type { KeyOwner } from '@fairway/kube/controller/key-owner';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { Gauge, type Registry } from 'prom-client';
import type { ControllerDependencies } from '../dependencies.ts';
import { isUnderWay } from '../upgrade/progress.ts';
import { addCertificateSeries } from './certificate-series.ts';
import { addClusterSeries } from './cluster-series.ts';
import { addControlPlaneMetrics } from './control-plane-metrics.ts';
import { ObjectCounts } from './object-counts.ts';
import { OperationDurations } from './operation-durations.ts';
import { addUsageSeries } from './usage-series.ts';

/** The replica that holds this key reports on objects, so that no object is counted twice. */
export const REPORTER_KEY = `${GROUP}/metrics`;

export interface FleetMetricsOptions {
  readonly registry: Registry;
  readonly cache: ControllerDependencies['cache'];
  readonly usage: Informer<UsageRecord>;
  readonly runtime: ControlPlaneRuntime;
  readonly owner: KeyOwner | undefined;
  readonly clock: Clock;
}

type ObjectWithPhase = KubeObject & {
  readonly status?: { readonly phase?: string | undefined; readonly conditions?: readonly Condition[] | undefined };
};

/** Metrics about Fairway's objects and control planes. */
export function addFleetMetrics({ registry, cache, usage, runtime, owner, clock }: FleetMetricsOptions): void {
  const isReporting = () => owner === undefined || owner.stillOwns(REPORTER_KEY);
  const clusterCounts = new ObjectCounts(cache.clusters, ({ spec, status }) => ({
    phase: status?.phase ?? 'Pending',
    version: minorOf(status?.version),
    plan: spec.plan,
  }));
  const poolCounts = new ObjectCounts(cache.nodePools, phaseOf);
  const upgradeCounts = new ObjectCounts(cache.nodePools, ({ status }) =>
    isUnderWay(status?.upgrade) ? { state: status.upgrade.state } : undefined,
  );
  const machineCounts = new ObjectCounts(cache.machines, phaseOf);
  const notReadyCounts = kindsOf(cache).map(
    ([kind, informer]) => new ObjectCounts(informer, (object) => notReadyOf(kind, object)),
  );
  const gauges = [
    new Gauge({
      name: 'fairway_clusters',
      help: 'Clusters by phase, minor version of the control plane, and plan.',
      labelNames: ['phase', 'version', 'plan'],
      registers: [],
      collect() {
        this.reset();
        if (isReporting()) clusterCounts.addTo(this);
      },
    }),
    new Gauge({
      name: 'fairway_node_pools',
      help: 'Node pools by phase.',
      labelNames: ['phase'],
      registers: [],
      collect() {
        this.reset();
        if (isReporting()) poolCounts.addTo(this);
      },
    }),
    new Gauge({
      name: 'fairway_upgrade_pools',
      help: 'Node pools with nodes to update, by upgrade state. Halted: new nodes do not become ready.',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.reset();
        if (isReporting()) upgradeCounts.addTo(this);
      },
    }),
    new Gauge({
      name: 'fairway_machines',
      help: 'Machines by phase.',
      labelNames: ['phase'],
      registers: [],
      collect() {
        this.reset();
        if (isReporting()) machineCounts.addTo(this);
      },
    }),
    new Gauge({
      name: 'fairway_objects_not_ready',
      help: 'Objects that are not Ready, by kind and condition reason.',
      labelNames: ['kind', 'reason'],
      registers: [],
      collect() {
        this.reset();
        if (isReporting()) for (const counts of notReadyCounts) counts.addTo(this);
      },
    }),
  ];
  for (const gauge of gauges) registry.registerMetric(gauge);
  addClusterSeries(registry, cache.clusters, isReporting);
  addCertificateSeries(registry, cache.clusters, isReporting);
  addUsageSeries(registry, usage, { isReporting, clock });
  const durations = new OperationDurations({ registry, isReporting, clock });
  durations.follow(clusters.kind, cache.clusters);
  durations.follow(nodePools.kind, cache.nodePools);
  durations.follow(machines.kind, cache.machines);
  addControlPlaneMetrics(registry, runtime);
}

function phaseOf({ status }: ObjectWithPhase): { readonly phase: string } {
  return { phase: status?.phase ?? 'Pending' };
}

/** List items do not include their kind. */
function kindsOf(cache: FleetMetricsOptions['cache']): readonly (readonly [string, Informer<ObjectWithPhase>])[] {
  const followed = [
    [clusters.kind, cache.clusters],
    [nodePools.kind, cache.nodePools],
    [machines.kind, cache.machines],
    [cloudCredentials.kind, cache.credentials],
    [plans.kind, cache.plans],
    [kubernetesReleases.kind, cache.releases],
  ] as const;
  return followed as unknown as readonly (readonly [string, Informer<ObjectWithPhase>])[];
}

function notReadyOf(
  kind: string,
  { status }: ObjectWithPhase,
): { readonly kind: string; readonly reason: string } | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? undefined : { kind, reason: ready.reason };
}

function minorOf(version: string | undefined): string {
  return /^\d+\.\d+/.exec(version ?? '')?.[0] ?? '';
}
