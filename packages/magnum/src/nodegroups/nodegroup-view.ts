import { targetReplicas } from '@fairway/api/domain/target-replicas';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { addressOf } from '../clusters/cluster-view.ts';
import { labelDifferences, nodeLabelsWithoutEffect } from '../clusters/labels.ts';
import { clusterState, nodegroupState } from '../clusters/magnum-state.ts';
import { DEFAULT_MASTER } from '../clusters/new-cluster.ts';
import { clusterRecord, poolRecord } from '../clusters/record.ts';
import { defaultPool, machinesOf, poolName, type StoredCluster } from '../clusters/stored-cluster.ts';
import { links, magnumTime, rowNumber } from '../http/representation.ts';
import { DEFAULT_IMAGE } from '../templates/template.ts';
import { masterUuid } from './stored-nodegroup.ts';

export interface NodegroupFacts {
  readonly projectId: string;
  readonly url: string;
  /** Control plane replicas. */
  readonly masters: number;
  readonly nowMs: number;
}

/** Fields of a nodegroup in lists. */
const BRIEF_FIELDS = [
  'uuid',
  'name',
  'flavor_id',
  'node_count',
  'role',
  'is_default',
  'image_id',
  'status',
  'stack_id',
] as const;

export type NodegroupView = ReturnType<typeof nodegroupView> | ReturnType<typeof masterView>;

export function briefNodegroup(view: NodegroupView) {
  return Object.fromEntries(BRIEF_FIELDS.map((name) => [name, view[name]]));
}

/** A pool as a nodegroup. Pure. */
export function nodegroupView(stored: StoredCluster, pool: NodePool, facts: NodegroupFacts) {
  const { metadata, spec, status } = pool;
  const { uid = '' } = metadata;
  const record = poolRecord(pool);
  const labels = record.labels ?? {};
  const state = nodegroupState(pool, facts.nowMs);
  const clusterLabels = clusterRecord(stored.cluster).labels ?? {};
  const ignored = nodeLabelsWithoutEffect(clusterLabels, labels);
  const notes = [
    ...(ignored.length === 0 ? [] : [`labels without effect: ${ignored.join(', ')}`]),
    ...(record.warnings ?? []).map((warning) => `warning: ${warning}`),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  const clusterUuid = stored.cluster.metadata.uid ?? '';
  return {
    id: rowNumber(uid),
    uuid: uid,
    name: poolName(pool),
    cluster_id: clusterUuid,
    project_id: facts.projectId,
    docker_volume_size: record.docker_volume_size ?? null,
    labels,
    ...labelDifferences(clusterLabels, labels),
    links: links(facts.url, `clusters/${clusterUuid}/nodegroups`, uid),
    flavor_id: record.flavor_id ?? spec.flavor,
    image_id: record.image_id ?? spec.image ?? stored.cluster.spec.image ?? DEFAULT_IMAGE,
    node_addresses: machinesOf(stored, pool).flatMap(addressOf),
    node_count: targetReplicas(pool),
    role: record.role ?? 'worker',
    min_node_count: spec.minReplicas,
    max_node_count: spec.maxReplicas ?? null,
    is_default: pool === defaultPool(stored),
    stack_id: uid,
    status: state.status,
    status_reason: `${state.reason}${note}`,
    version: status?.version === undefined ? null : `v${status.version}`,
    node_labels: spec.template.metadata.labels ?? {},
    node_taints: (spec.template.spec.taints ?? []).map((taint) => ({ ...taint })),
    created_at: magnumTime(metadata.creationTimestamp),
    updated_at: magnumTime(record.updated_at),
  };
}

/** The control plane as a nodegroup, because clients expect one. Pure. */
export function masterView(stored: StoredCluster, facts: NodegroupFacts) {
  const { cluster, pools } = stored;
  const { metadata, status } = cluster;
  const record = clusterRecord(cluster);
  const uuid = masterUuid(stored);
  const state = clusterState(cluster, pools, facts.nowMs);
  const count = record.master_count ?? facts.masters;
  return {
    id: rowNumber(uuid),
    uuid,
    name: DEFAULT_MASTER,
    cluster_id: metadata.uid ?? '',
    project_id: facts.projectId,
    docker_volume_size: record.docker_volume_size ?? null,
    labels: record.labels ?? {},
    ...labelDifferences({}, {}),
    links: links(facts.url, `clusters/${metadata.uid}/nodegroups`, uuid),
    flavor_id: record.master_flavor_id ?? null,
    image_id: DEFAULT_IMAGE,
    node_addresses: status?.endpoint === undefined ? [] : [status.endpoint.host],
    node_count: count,
    role: 'master',
    min_node_count: 1,
    max_node_count: null,
    is_default: true,
    stack_id: uuid,
    status: state.status,
    status_reason: state.reason,
    version: status?.version === undefined ? null : `v${status.version}`,
    node_labels: {},
    node_taints: [],
    created_at: magnumTime(metadata.creationTimestamp),
    updated_at: magnumTime(record.updated_at),
  };
}
