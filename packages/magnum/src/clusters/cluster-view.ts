import { targetReplicas } from '@fairway/api/domain/target-replicas';
import { minorOf } from '@fairway/api/domain/version-numbers';
import type { Machine } from '@fairway/api/kinds/machine';
import type { Plan } from '@fairway/api/kinds/plan';
import { links, magnumTime } from '../http/representation.ts';
import { operatorTemplateUuid } from '../templates/catalogue.ts';
import type { Template } from '../templates/template.ts';
import { healthReason, healthStatus } from './health.ts';
import { labelsWithoutEffect } from './known-labels.ts';
import { effectiveLabelsOf, type Labels, labelDifferences } from './labels.ts';
import { clusterState, DEFAULT_CREATE_TIMEOUT, isWorkerPending, nodegroupState } from './magnum-state.ts';
import { type ClusterRecord, clusterRecord } from './record.ts';
import { clusterName, poolName, type StoredCluster } from './stored-cluster.ts';

export interface ViewFacts {
  readonly templates: readonly Template[];
  readonly plans: readonly Plan[];
  readonly projectOf: (namespace: string) => string | undefined;
  readonly minor: number;
  readonly url: string;
  readonly nowMs: number;
}

/** A cluster in a list. Pure. */
export function briefView(stored: StoredCluster, facts: ViewFacts) {
  const { cluster, pools } = stored;
  const { uid = '' } = cluster.metadata;
  const record = clusterRecord(cluster);
  const plan = facts.plans.find(({ metadata }) => metadata.name === cluster.spec.plan);
  const { status } = clusterState(cluster, pools, facts.nowMs);
  const templateId = templateIdOf(stored, facts.templates);
  return {
    uuid: uid,
    name: clusterName(cluster),
    cluster_template_id: templateId,
    keypair: record.keypair ?? null,
    docker_volume_size: record.docker_volume_size ?? null,
    labels: currentLabels(record, findTemplate(facts, templateId)),
    node_count: pools.reduce((sum, pool) => sum + targetReplicas(pool), 0),
    status,
    master_flavor_id: record.master_flavor_id ?? null,
    flavor_id: record.flavor_id ?? pools[0]?.spec.flavor ?? null,
    create_timeout: record.create_timeout ?? DEFAULT_CREATE_TIMEOUT,
    master_count: record.master_count ?? plan?.spec.controlPlane.replicas ?? 1,
    health_status: healthStatus(cluster),
    ...(facts.minor >= 13 ? { cluster_id: uid } : { stack_id: uid }),
    links: links(facts.url, 'clusters', uid),
  };
}

/** A cluster with all fields. Pure. */
export function fullView(stored: StoredCluster, facts: ViewFacts) {
  const { cluster, pools, machines } = stored;
  const { metadata, spec, status } = cluster;
  const record = clusterRecord(cluster);
  const brief = briefView(stored, facts);
  const state = clusterState(cluster, pools, facts.nowMs);
  const ignored = labelsWithoutEffect(brief.labels);
  const notes = [
    ...(pools.length === 0 && !isWorkerPending(cluster, pools, facts.nowMs)
      ? ['the cluster has no nodegroup: resize it to the number of nodes that you want']
      : []),
    ...(ignored.length === 0 ? [] : [`labels without effect: ${ignored.join(', ')}`]),
    ...(record.warnings ?? []).map((warning) => `warning: ${warning}`),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  const template = findTemplate(facts, brief.cluster_template_id);
  const failed = pools.filter((pool) => nodegroupState(pool, facts.nowMs).status.endsWith('FAILED'));
  return {
    ...brief,
    status_reason: `${state.reason}${note}`,
    health_status_reason: healthReason(cluster, machines),
    created_at: magnumTime(metadata.creationTimestamp),
    updated_at: magnumTime(record.updated_at),
    discovery_url: record.discovery_url ?? null,
    api_address: status?.url ?? null,
    coe_version: status?.version === undefined ? null : `v${status.version}`,
    container_version: null,
    project_id: facts.projectOf(metadata.namespace ?? '') ?? '',
    user_id: record.user_id ?? '',
    node_addresses: machines.flatMap(addressOf),
    master_addresses: status?.endpoint === undefined ? [] : [status.endpoint.host],
    ...(state.status.endsWith('FAILED') && {
      faults: Object.fromEntries(failed.map((pool) => [poolName(pool), nodegroupState(pool, facts.nowMs).reason])),
    }),
    fixed_network: record.fixed_network ?? spec.network.networkID ?? null,
    fixed_subnet: record.fixed_subnet ?? spec.network.subnetID ?? null,
    floating_ip_enabled: record.floating_ip_enabled ?? pools.some((pool) => pool.spec.floatingIPs.enabled),
    master_lb_enabled: record.master_lb_enabled ?? true,
    ...labelDifferences(template?.fields.labels ?? {}, brief.labels),
  };
}

function findTemplate({ templates }: ViewFacts, id: string): Template | undefined {
  return templates.find(({ uuid }) => uuid === id);
}

/**
 * Labels of the cluster merged with those of its current template. A label from the template changes with the next
 * patch release, and with an upgrade to a different template. Terraform would replace the cluster if it saw a label
 * that is neither the cluster's nor its template's.
 */
function currentLabels(
  { labels = {}, own_labels: own, merge_labels }: ClusterRecord,
  template: Template | undefined,
): Labels {
  return own === undefined || template === undefined
    ? labels
    : effectiveLabelsOf(template.fields.labels, own, merge_labels);
}

/** The node's public address if it has one, as in Magnum; otherwise its internal address. */
export function addressOf({ status }: Machine): string[] {
  const { addresses = [], address } = status ?? {};
  const external = addresses.find(({ type }) => type === 'ExternalIP')?.address;
  const publicOrPrivate = external ?? address;
  return publicOrPrivate === undefined ? [] : [publicOrPrivate];
}

/**
 * The tenant's own template from which the cluster was created; otherwise the template of its current plan and version.
 */
export function templateIdOf({ cluster }: StoredCluster, templates: readonly Template[]): string {
  const { cluster_template_id: recorded } = clusterRecord(cluster);
  const recordedTemplate = templates.find(({ uuid }) => uuid === recorded);
  if (recordedTemplate && recordedTemplate.offer === undefined) return recordedTemplate.uuid;
  const version = cluster.status?.desiredVersion ?? cluster.status?.version ?? cluster.spec.version;
  if (version === undefined) return recorded ?? '';
  return operatorTemplateUuid(cluster.spec.plan, minorOf(version));
}
