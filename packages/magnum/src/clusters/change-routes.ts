import { minorOf } from '@fairway/api/domain/version-numbers';
import { API_VERSION, DELETE_FIRST_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { upperBound } from '@fairway/api/kinds/pool-bounds';
import { formatTime } from '@fairway/base/clock';
import { z } from 'zod';
import { requirePermission } from '../access/permissions.ts';
import { replaceNotFound } from '../http/api-errors.ts';
import { int, optionalInt, parseBody } from '../http/body.ts';
import { type Call, param, type Reply, type Route } from '../http/call.ts';
import { parsePatch, wholeNumber } from '../http/json-patch.ts';
import { clusterNotFound, invalidInput, MagnumError } from '../http/magnum-error.ts';
import { findPool, isMasterIdent } from '../nodegroups/stored-nodegroup.ts';
import { findTemplate, readTemplates } from '../templates/find-template.ts';
import { templateIdOf } from './cluster-view.ts';
import { zeroNodesError } from './create-route.ts';
import { poolSpecFromLabels, specFromLabels } from './labels.ts';
import { workerPoolName } from './new-cluster.ts';
import { clusterRecord, DEFAULT_WORKER, poolRecord, recordAnnotation, warningsRecord } from './record.ts';
import { defaultPool, findCluster, machinesOf, poolName, type StoredCluster } from './stored-cluster.ts';

/** Routes that change clusters. */
export const CLUSTER_CHANGE_ROUTES: readonly Route[] = [
  { method: 'PATCH', path: 'clusters/{cluster}', action: 'cluster:update', handle: patch },
  { method: 'DELETE', path: 'clusters/{cluster}', action: 'cluster:delete', handle: remove },
  { method: 'POST', path: 'clusters/{cluster}/actions/resize', action: 'cluster:resize', since: 7, handle: resize },
  { method: 'POST', path: 'clusters/{cluster}/actions/upgrade', action: 'cluster:upgrade', since: 7, handle: upgrade },
];

const ResizeBody = z.strictObject({
  node_count: int(z.int().min(0).max(100_000)),
  nodes_to_remove: z.array(z.string().max(255)).max(1000).nullish(),
  nodegroup: z.string().max(255).nullish(),
});

const UpgradeBody = z.strictObject({
  cluster_template: z.string().min(1).max(255),
  max_batch_size: optionalInt(z.int().min(1)),
  nodegroup: z.string().max(255).nullish(),
});

/** Fairway determines the health of a cluster itself; values that clients write are accepted and ignored. */
const IGNORED_PATHS = ['/health_status', '/health_status_reason'];

async function patch(call: Call): Promise<Reply> {
  const { minor, query } = call;
  if (query.get('rollback') !== null && minor < 3) throw invalidInput('Unknown argument: "rollback"');
  const stored = await requireChangeableCluster(call, 'Updating a cluster');
  let nodeCount: number | undefined;
  for (const { op, path, value } of parsePatch(call.body)) {
    if (IGNORED_PATHS.includes(path)) continue;
    if (path !== '/node_count') throw invalidInput(`cannot change cluster property(ies) ${path.slice(1)}.`);
    const count = op === 'remove' ? 1 : wholeNumber(path, value);
    if (count < 0) throw invalidInput('Invalid input for field/attribute node_count: it must be 0 or more');
    if (count === 0 && minor < 10) throw zeroNodesError();
    nodeCount = count;
  }
  // Writes only if the whole patch is valid.
  if (nodeCount !== undefined) await scale(call, stored, defaultPool(stored), nodeCount);
  return { status: 202, body: { uuid: await markChanged(call, stored) } };
}

async function resize(call: Call): Promise<Reply> {
  const { node_count, nodes_to_remove, nodegroup } = parseBody(ResizeBody, call.body);
  if (node_count === 0 && call.minor < 10) throw zeroNodesError();
  const stored = await requireChangeableCluster(call, 'Resizing a cluster');
  if (nodegroup && isMasterIdent(stored, nodegroup)) {
    throw invalidInput('Resizing the master nodegroup is not supported: the plan defines the control plane.');
  }
  const pool = nodegroup ? findPool(stored, nodegroup) : defaultPool(stored);
  if (pool) checkSize(pool, node_count);
  await markNodes(call, stored, pool, nodes_to_remove ?? []);
  await scale(call, stored, pool, node_count);
  return { status: 202, body: { uuid: await markChanged(call, stored) } };
}

/** Marks nodes for deletion, by server ID or by index in the group. */
async function markNodes(
  call: Call,
  stored: StoredCluster,
  pool: NodePool | undefined,
  idents: readonly string[],
): Promise<void> {
  const poolMachines = pool === undefined ? [] : machinesOf(stored, pool);
  const machinesToDelete = idents.map((ident) => {
    const node =
      poolMachines.find(({ status }) => status?.serverID === ident) ??
      (/^[0-9]{1,4}$/.test(ident) ? poolMachines[Number(ident)] : undefined);
    if (node === undefined) throw invalidInput(`nodes_to_remove: the nodegroup has no node ${ident}`);
    return node;
  });
  if (machinesToDelete.length === 0) return;
  // Only Fairway writes Machines; a user who may change the pool may also select the nodes to delete.
  await requirePermission(
    call.client,
    { verb: 'update', resource: 'nodepools', namespace: call.caller.namespace },
    'cluster:resize',
  );
  for (const { metadata } of machinesToDelete) {
    const value = { metadata: { annotations: { [DELETE_FIRST_ANNOTATION]: 'true' } } };
    await call.services.systemClient
      .resource(machines)
      .patch(metadata.name ?? '', { type: 'merge', value }, { namespace: metadata.namespace ?? '' });
  }
}

async function scale(call: Call, stored: StoredCluster, pool: NodePool | undefined, count: number): Promise<void> {
  if (pool === undefined) return createPool(call, stored, count);
  checkSize(pool, count);
  await changePool(call, pool, { replicas: count });
}

/** Throws 400 for a size that the pool's bounds do not allow. */
function checkSize(pool: NodePool, count: number): void {
  const { minReplicas: min } = pool.spec;
  const max = upperBound(pool.spec);
  if (count < min || count > max) {
    throw invalidInput(
      `Resizing ${poolName(pool)} outside the allowed range: min_node_count = ${min}, max_node_count = ${max}`,
    );
  }
  if (pool.spec.autoscaling.enabled) {
    throw invalidInput(
      `${poolName(pool)} is autoscaled between ${min} and ${max} nodes: change min_node_count and max_node_count instead`,
    );
  }
}

/** Writes a pool's spec, and records that it was changed through this API. */
export async function changePool(call: Call, pool: NodePool, spec: object): Promise<NodePool> {
  const record = { ...poolRecord(pool), updated_at: formatTime(call.clock.now()) };
  const { name = '', namespace = '' } = pool.metadata;
  const value = { metadata: { annotations: recordAnnotation(record) }, spec };
  return call.client
    .resource(nodePools)
    .patch(name, { type: 'merge', value }, { namespace, fieldManager: 'fairway-magnum' });
}

/**
 * Creates a pool for a cluster that has none, because the cluster was created with kubectl or its creation was
 * interrupted.
 */
async function createPool(call: Call, { cluster }: StoredCluster, replicas: number): Promise<void> {
  const { flavor_id: flavor, labels = {}, floating_ip_enabled: floating } = clusterRecord(cluster);
  if (flavor === undefined)
    throw invalidInput('the cluster has no nodegroup: create one with "openstack coe nodegroup create"');
  const { name = '', namespace = '' } = cluster.metadata;
  const record = { name: DEFAULT_WORKER, role: 'worker', flavor_id: flavor, labels };
  await call.client.resource(nodePools).create(
    {
      apiVersion: API_VERSION,
      kind: nodePools.kind,
      metadata: { name: workerPoolName(name), namespace, annotations: recordAnnotation(record) },
      spec: {
        clusterName: name,
        flavor,
        replicas,
        ...poolSpecFromLabels(labels, labels),
        ...(floating && { floatingIPs: { enabled: true } }),
      },
    } as never,
    { fieldManager: 'fairway-magnum' },
  );
}

async function upgrade(call: Call): Promise<Reply> {
  if (call.minor === 7) throw invalidInput('Cluster upgrade is not supported in the provided microversion.');
  const body = parseBody(UpgradeBody, call.body);
  const stored = await requireChangeableCluster(call, 'Upgrading a cluster');
  const templates = await readTemplates(call);
  const template = findTemplate(templates, body.cluster_template);
  const current = templateIdOf(stored, templates);
  if (body.nodegroup && !isMasterIdent(stored, body.nodegroup)) {
    const pool = findPool(stored, body.nodegroup);
    if (pool !== defaultPool(stored) && template.uuid !== current) {
      const name = templates.find(({ uuid }) => uuid === current)?.name ?? current;
      throw new MagnumError(
        409,
        `Cluster Template is not valid for upgrade: Nodegroup ${poolName(pool)} can be upgraded only to match cluster's template (${name}).`,
      );
    }
  }
  const { kube_tag = '', fairway_plan = '' } = template.fields.labels ?? {};
  const labelSpec = specFromLabels({ kube_tag, fairway_plan }).cluster;
  const version = template.offer?.minor ?? labelSpec.version;
  const plan = template.offer?.plan ?? labelSpec.plan;
  if (version === undefined)
    throw new MagnumError(409, 'Cluster Template is not valid for upgrade: it has no label kube_tag.');
  if (body.max_batch_size && body.max_batch_size > 10) throw invalidInput('max_batch_size must be at most 10');
  const { cluster, pools } = stored;
  const record = {
    ...clusterRecord(cluster),
    cluster_template_id: template.uuid,
    updated_at: formatTime(call.clock.now()),
    warnings: undefined,
  };
  const keepsPatch = cluster.spec.version !== undefined && minorOf(cluster.spec.version) === version;
  const spec = { ...(!keepsPatch && { version }), ...(plan !== undefined && { plan }) };
  const uuid = await write(call, cluster, { metadata: { annotations: recordAnnotation(record) }, spec });
  if (call.warnings.size > 0) {
    const annotations = recordAnnotation({ ...record, ...warningsRecord(call.warnings) });
    await write(call, cluster, { metadata: { annotations } });
  }
  // Changes pools only after the version has been accepted: the control plane is upgraded first, which takes longer
  // than this request.
  if (body.max_batch_size) {
    for (const pool of pools) await changePool(call, pool, { upgradeStrategy: { maxSurge: body.max_batch_size } });
  }
  return { status: 202, body: { uuid } };
}

async function remove(call: Call): Promise<Reply> {
  const { cluster } = await findCluster(call, param(call, 'cluster'));
  const { name = '', namespace = '', uid = '' } = cluster.metadata;
  await call.client
    .resource(clusters)
    .delete(name, { namespace, uid })
    .catch((error: unknown) => {
      throw replaceNotFound(error, clusterNotFound(param(call, 'cluster')));
    });
  return { status: 204 };
}

/** The cluster in the path. Throws 400 while it is being deleted. */
export async function requireChangeableCluster(call: Call, operation: string): Promise<StoredCluster> {
  const stored = await findCluster(call, param(call, 'cluster'));
  if (stored.cluster.metadata.deletionTimestamp !== undefined) {
    throw invalidInput(`${operation} when status is "DELETE_IN_PROGRESS" is not supported.`);
  }
  return stored;
}

/** Records that the cluster was changed through this API, with the identity of the caller, who must have the permission. Returns its UUID. */
export async function markChanged(call: Call, { cluster }: StoredCluster): Promise<string> {
  const record = { ...clusterRecord(cluster), updated_at: formatTime(call.clock.now()) };
  return write(call, cluster, { metadata: { annotations: recordAnnotation(record) } });
}

async function write(call: Call, { metadata }: Cluster, value: object): Promise<string> {
  const { name = '', namespace = '', uid = '' } = metadata;
  await call.client
    .resource(clusters)
    .patch(name, { type: 'merge', value }, { namespace, fieldManager: 'fairway-magnum' })
    .catch((error: unknown) => {
      throw replaceNotFound(error, clusterNotFound(uid));
    });
  return uid;
}
