import type { CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import { ConditionReason } from '@fairway/api/conditions';
import { minorOf } from '@fairway/api/domain/version-numbers';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { UpgradeFinding, UpgradePlanStatus } from '@fairway/api/kinds/upgrade-plan-request';
import { releasesOfPlan } from '@fairway/api/limits/version-window';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import type { Transport } from '@fairway/kube/client/transport';
import { tooManyRequests } from '@fairway/kube/object/api-error';
import { machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import { templatesFrom } from '../autoscaling/pool-templates.ts';
import type { ControllerDependencies } from '../dependencies.ts';
import { meteredTransport } from './metered.ts';
import { pauseUntil } from './pace.ts';
import { placementFindings } from './placement.ts';
import type { PoolUpdate } from './pool-updates.ts';
import { bySeverity, previewUpgrade } from './preview.ts';
import { removedApiFindings, requestedDeprecatedApis } from './removed-apis.ts';
import { readTenant, TooManyObjectsError } from './tenant-facts.ts';
import { workloadFindings } from './workloads.ts';

export interface UpgradePlannerOptions {
  readonly cache: Pick<ControllerDependencies['cache'], 'nodePools' | 'machines' | 'plans' | 'releases'>;
  /** Independent of the process that owns the clusters: any replica can serve a request. */
  readonly projects: Clouds;
  /** Reaches a tenant's API server; closed after use. */
  readonly connect: (cluster: Cluster) => Promise<Transport>;
  readonly runtime: Pick<ControlPlaneRuntime, 'spread'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What an upgrade of a cluster would do; without a version, the next upgrade that is offered. */
export type UpgradePlanner = (cluster: Cluster, version: string | undefined) => Promise<UpgradePlanStatus>;

/** Concurrent plans across all clusters: each keeps the data of a tenant's cluster in memory. */
const MAX_CONCURRENT = 4;
/** Concurrent plans for one project: a slow API server must not delay all other projects. */
const MAX_PER_PROJECT = 2;
const RETRY_SECONDS = 2;
/** Time limit for reading a tenant's cluster, including all computations. */
const TENANT_TIMEOUT_MS = 20_000;
/** Enough for thirty thousand pods of typical size. */
const MAX_LENGTH = 320 * 2 ** 20;

/**
 * Plans upgrades on request. It reads caches, the cloud's lists and the tenant's cluster, and changes nothing. Sources that do not respond
 * are reported as unknown. Rejects with 429 while a plan for the same cluster is in progress, or too many are.
 */
export function upgradePlanner(options: UpgradePlannerOptions): UpgradePlanner {
  const { cache, projects, runtime, clock, log } = options;
  const offer = new CloudOffer(clock, log);
  /** Namespaces by cluster UID. */
  const running = new Map<string, string>();
  const plan = async (cluster: Cluster, version: string, requested: string | undefined): Promise<UpgradePlanStatus> => {
    const key = keyOf(cluster);
    const cloud = projects.forNamespace(cluster.metadata.namespace ?? '', cluster.spec.credentialName);
    const catalogue = cloud === undefined ? {} : await offer.catalogueOf(cloud);
    const clusterPlan = cache.plans.get(cluster.spec.plan);
    const nowMs = clock.now();
    const { status, renewals } = previewUpgrade({
      cluster,
      running: version,
      requested,
      releases: releasesOfPlan(clusterPlan, { releases: cache.releases.list(), running: version, nowMs }),
      plan: clusterPlan,
      pools: cache.nodePools.find(poolsByCluster, key),
      machines: cache.machines.find(machinesByCluster, key),
      catalogue,
      isSeamless: runtime.spread.replicas > 1,
      nowMs,
    });
    if (renewals.length === 0 && status.to === undefined) return status;
    const region = cloud?.region ?? '';
    const versions = { from: version, to: status.to ?? version };
    const found = await inspectTenant(options, cluster, { renewals, catalogue, region, versions });
    return { ...status, findings: bySeverity([...status.findings, ...found]) };
  };
  return async (cluster, requested) => {
    const uid = identityOf(cluster);
    const version = cluster.status?.version;
    if (version === undefined) throw new Error(`cluster ${keyOf(cluster)} is not running any version yet`);
    if (running.has(uid)) throw tooManyRequests('an upgrade of this cluster is already being planned', RETRY_SECONDS);
    const { namespace = '' } = cluster.metadata;
    const runningInProject = [...running.values()].filter((other) => other === namespace).length;
    if (running.size >= MAX_CONCURRENT || runningInProject >= MAX_PER_PROJECT) {
      throw tooManyRequests('too many upgrades are being planned', RETRY_SECONDS);
    }
    running.set(uid, namespace);
    try {
      return await plan(cluster, version, requested);
    } finally {
      running.delete(uid);
    }
  };
}

interface InspectionOptions {
  readonly renewals: readonly PoolUpdate[];
  readonly catalogue: Pick<CloudCatalogue, 'flavors'>;
  readonly region: string;
  /** The version of the control plane. */
  readonly versions: { readonly from: string; readonly to: string };
}

/** The findings from the tenant's cluster, if it responds in time. */
async function inspectTenant(
  { cache, connect, clock, log }: UpgradePlannerOptions,
  cluster: Cluster,
  { renewals, catalogue, region, versions }: InspectionOptions,
): Promise<readonly UpgradeFinding[]> {
  const late = new AbortController();
  const timer = clock.after(TENANT_TIMEOUT_MS, () => {
    late.abort(new DOMException(`it took longer than ${TENANT_TIMEOUT_MS / 1000} s`, 'TimeoutError'));
  });
  const findings: UpgradeFinding[] = [];
  let client: KubeClient | undefined;
  try {
    client = new KubeClient(meteredTransport(await connect(cluster), MAX_LENGTH), {
      userAgent: 'fairway-upgrade-plan',
      clock,
    });
    if (minorOf(versions.from) !== minorOf(versions.to)) {
      findings.push(...removedApiFindings(await requestedDeprecatedApis(client, late.signal), versions));
    }
    if (renewals.length === 0) return findings;
    const tenant = await readTenant(client, late.signal);
    const pause = pauseUntil(late.signal);
    findings.push(...(await workloadFindings(renewals, tenant, pause)));
    const plan = cache.plans.get(cluster.spec.plan);
    const { nodes, daemonSets } = tenant;
    const pools = renewals.map(({ pool }) => pool);
    const templates =
      plan === undefined
        ? new Map()
        : templatesFrom(catalogue.flavors ?? [], { region, plan, pools, nodes, daemonSets });
    findings.push(...(await placementFindings(renewals, { ...tenant, templates }, pause)));
  } catch (error) {
    log.info({ err: error, cluster: keyOf(cluster) }, 'planning an upgrade without the pods of the cluster');
    findings.push(unknown(error));
  } finally {
    timer.cancel();
    client?.close();
  }
  return findings;
}

const MAX_ERROR_LENGTH = 300;

function unknown(error: unknown): UpgradeFinding {
  const why = error instanceof Error ? error.message : String(error);
  const isTooLarge = error instanceof TooManyObjectsError;
  const message = `could not inspect all of the cluster (pods, PodDisruptionBudgets, APIs in use): ${why.slice(0, MAX_ERROR_LENGTH)}`;
  return { type: isTooLarge ? 'TooManyObjects' : ConditionReason.WaitingForControlPlane, effect: 'Unknown', message };
}
