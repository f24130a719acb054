import { API_VERSION } from '@fairway/api/group';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { MAX_NODE_POOL_NAME_LENGTH } from '@fairway/api/names';
import { isApiError } from '@fairway/kube/object/api-error';
import { z } from 'zod';
import { changePool, markChanged, requireChangeableCluster } from '../clusters/change-routes.ts';
import { effectiveLabelsOf, poolSpecFromLabels } from '../clusters/labels.ts';
import { objectName } from '../clusters/object-name.ts';
import { clusterRecord, poolRecord, recordAnnotation, warningsRecord } from '../clusters/record.ts';
import { defaultPool, findCluster, poolName, type StoredCluster } from '../clusters/stored-cluster.ts';
import { replaceNotFound } from '../http/api-errors.ts';
import { labels, NAME, optional, optionalFlag, optionalInt, parseBody } from '../http/body.ts';
import { type Call, param, type Reply, type Route } from '../http/call.ts';
import { type JsonPatch, parsePatch, parseStructure, wholeNumber } from '../http/json-patch.ts';
import { invalidInput, MagnumError, nodegroupNotFound } from '../http/magnum-error.ts';
import { pageOf, pageReply } from '../http/page.ts';
import { DEFAULT_IMAGE } from '../templates/template.ts';
import { briefNodegroup, masterView, type NodegroupFacts, nodegroupView } from './nodegroup-view.ts';
import { findPool, isMasterIdent } from './stored-nodegroup.ts';

const PATH = 'clusters/{cluster}/nodegroups';

export const NODEGROUP_ROUTES: readonly Route[] = [
  { method: 'GET', path: PATH, since: 9, action: 'nodegroup:get_all', handle: list },
  { method: 'GET', path: `${PATH}/{nodegroup}`, since: 9, action: 'nodegroup:get', handle: show },
  { method: 'POST', path: PATH, since: 9, action: 'nodegroup:create', handle: create },
  { method: 'PATCH', path: `${PATH}/{nodegroup}`, since: 9, action: 'nodegroup:update', handle: change },
  { method: 'DELETE', path: `${PATH}/{nodegroup}`, since: 9, action: 'nodegroup:delete', handle: remove },
];

const NodeLabels = z
  .record(z.string().min(1).max(317), z.string().max(63))
  .refine((map) => Object.keys(map).length <= 50);
const Taints = z
  .array(
    z.strictObject({
      key: z.string().min(1).max(317),
      value: z.string().max(63).optional(),
      effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    }),
  )
  .max(50);

const NodegroupBody = z.strictObject({
  name: NAME,
  node_count: optionalInt(z.int().min(0)),
  min_node_count: optionalInt(z.int().min(0)),
  max_node_count: optionalInt(z.int().min(1)),
  role: optional(z.string().max(255)),
  flavor_id: optional(z.string().max(255)),
  image_id: optional(z.string().max(255)),
  labels: optional(labels()),
  merge_labels: optionalFlag(),
  docker_volume_size: optionalInt(z.int().min(0)),
  node_labels: optional(NodeLabels),
  node_taints: optional(Taints),
});

async function list(call: Call): Promise<Reply> {
  const query = pageOf(call.query, ['role']);
  const stored = await findCluster(call, param(call, 'cluster'));
  const facts = await factsOf(call, stored);
  const role = call.query.get('role');
  const views = [masterView(stored, facts), ...stored.pools.map((pool) => nodegroupView(stored, pool, facts))];
  const pageItems = views
    .filter((view) => role === null || view.role === role)
    .map((view) => ({ marker: view.uuid, created: `${view.role === 'master' ? 0 : 1} ${view.created_at}`, view }));
  const path = `clusters/${stored.cluster.metadata.uid}/nodegroups`;
  return pageReply(call, { name: 'nodegroups', path }, pageItems, query, briefNodegroup);
}

async function show(call: Call): Promise<Reply> {
  const stored = await findCluster(call, param(call, 'cluster'));
  const facts = await factsOf(call, stored);
  const ident = param(call, 'nodegroup');
  const view = isMasterIdent(stored, ident)
    ? masterView(stored, facts)
    : nodegroupView(stored, findPool(stored, ident), facts);
  return { status: 200, body: view };
}

async function create(call: Call): Promise<Reply> {
  const body = parseBody(NodegroupBody, call.body);
  if (body.role === 'master') throw invalidInput('Creating master nodegroups is currently not supported.');
  if (body.node_count === 0 && call.minor < 10)
    throw invalidInput('Creating a nodegroup of zero nodes is not supported in the provided microversion.');
  checkBounds(body);
  const stored = await requireChangeableCluster(call, 'Creating a nodegroup');
  if (isMasterIdent(stored, body.name) || stored.pools.some((pool) => poolName(pool) === body.name))
    throw alreadyExists(body.name);
  const pool = newPool(body, stored);
  const created = await call.client
    .resource(nodePools)
    .create(pool as never, { fieldManager: 'fairway-magnum' })
    .catch((error: unknown) => {
      throw isApiError(error, 'AlreadyExists') ? alreadyExists(body.name) : error;
    });
  const recorded = call.warnings.size === 0 ? created : await recordWarnings(call, created);
  await markChanged(call, stored);
  return {
    status: 202,
    body: nodegroupView({ ...stored, pools: [...stored.pools, recorded] }, recorded, await factsOf(call, stored)),
  };
}

/** Stores the warnings about a new pool, which its `status_reason` reports. */
async function recordWarnings({ client, warnings }: Call, pool: NodePool): Promise<NodePool> {
  const { name = '', namespace = '' } = pool.metadata;
  const annotations = recordAnnotation({ ...poolRecord(pool), ...warningsRecord(warnings) });
  const value = { metadata: { annotations } };
  return client
    .resource(nodePools)
    .patch(name, { type: 'merge', value }, { namespace, fieldManager: 'fairway-magnum' });
}

function newPool(body: z.infer<typeof NodegroupBody>, stored: StoredCluster): NewNodePool {
  const { cluster } = stored;
  const first = defaultPool(stored);
  const record = clusterRecord(cluster);
  const { name: clusterName = '', namespace = '' } = cluster.metadata;
  const effectiveLabels = effectiveLabelsOf(record.labels, body.labels, body.merge_labels);
  const flavor = body.flavor_id ?? record.flavor_id ?? first?.spec.flavor;
  if (flavor === undefined) throw invalidInput('flavor_id: neither the nodegroup nor its cluster specifies one');
  const max = body.max_node_count;
  const own = {
    name: body.name,
    role: body.role ?? 'worker',
    flavor_id: flavor,
    image_id: body.image_id,
    docker_volume_size: body.docker_volume_size,
    labels: { ...effectiveLabels },
  };
  return {
    apiVersion: API_VERSION,
    kind: nodePools.kind,
    metadata: {
      name: objectName(`${clusterName}-${body.name}`, MAX_NODE_POOL_NAME_LENGTH),
      namespace,
      annotations: recordAnnotation(own),
    },
    spec: {
      clusterName,
      flavor,
      ...poolSpecFromLabels(record.labels ?? {}, {
        ...effectiveLabels,
        ...(max !== undefined && { max_node_count: String(max) }),
      }),
      replicas: body.node_count ?? 1,
      ...(body.min_node_count !== undefined && { minReplicas: body.min_node_count }),
      ...(body.image_id !== undefined && body.image_id !== DEFAULT_IMAGE && { image: body.image_id }),
      template: {
        ...(body.node_labels && { metadata: { labels: body.node_labels } }),
        ...(body.node_taints && { spec: { taints: body.node_taints } }),
      },
      ...(first?.spec.floatingIPs.enabled && { floatingIPs: { enabled: true } }),
    },
  };
}

function checkBounds({
  name,
  node_count: count = 1,
  min_node_count: min = 0,
  max_node_count: max,
}: z.infer<typeof NodegroupBody>): void {
  const refuse = (attr: string, why: string) => new MagnumError(409, `${attr} for ${name} is invalid (${why}).`);
  if (max !== undefined && min > max)
    throw refuse('max_node_count', `it should be greater than or equal to min_node_count ${min}`);
  if (count < min) throw refuse('node_count', `it should be greater than or equal to min_node_count ${min}`);
  if (max !== undefined && count > max)
    throw refuse('node_count', `it should be less than or equal to max_node_count ${max}`);
}

function alreadyExists(name: string): MagnumError {
  return new MagnumError(409, `A node group with name ${name} already exists in the cluster.`);
}

async function change(call: Call): Promise<Reply> {
  const patch = parsePatch(call.body);
  const stored = await requireChangeableCluster(call, 'Updating a nodegroup');
  const ident = param(call, 'nodegroup');
  if (isMasterIdent(stored, ident))
    throw invalidInput('Updating the master nodegroup is not supported: the plan defines the control plane.');
  const pool = findPool(stored, ident);
  const changed = await changePool(call, pool, specPatch(pool, patch));
  await markChanged(call, stored);
  return { status: 202, body: nodegroupView(stored, changed, await factsOf(call, stored)) };
}

/** Converts the request to a merge patch. Throws 400 for immutable fields, 409 for conflicting bounds. */
function specPatch(pool: NodePool, patch: JsonPatch): object {
  const spec: Record<string, unknown> = {};
  for (const { op, path, value } of patch) {
    const isRemoval = op === 'remove';
    if (path === '/min_node_count') spec['minReplicas'] = isRemoval ? 0 : wholeNumber(path, value);
    else if (path === '/max_node_count') spec['maxReplicas'] = isRemoval ? null : wholeNumber(path, value);
    else if (path === '/node_labels')
      spec['template'] = {
        ...(spec['template'] as object),
        metadata: { labels: isRemoval ? null : labelPatch(pool, path, value) },
      };
    else if (path === '/node_taints')
      spec['template'] = {
        ...(spec['template'] as object),
        spec: { taints: isRemoval ? null : parseValue(Taints, path, value) },
      };
    else throw invalidInput(`cannot change nodegroup property(ies) ${path.slice(1)}.`);
  }
  const { minReplicas: min = pool.spec.minReplicas, maxReplicas: max = pool.spec.maxReplicas } = spec;
  const count = pool.spec.replicas;
  const refuse = (attr: string, why: string) =>
    new MagnumError(409, `${attr} for ${poolName(pool)} is invalid (${why}).`);
  if (Number(min) > count) throw refuse('min_node_count', `it should be less than or equal to the node_count ${count}`);
  if (typeof max === 'number' && max < count)
    throw refuse('max_node_count', `it should be greater than or equal to the node_count ${count}`);
  return spec;
}

/** A merge patch keeps omitted fields, so removed fields are listed as null. */
function labelPatch(pool: NodePool, path: string, value: unknown): Record<string, string | null> {
  const next = parseValue(NodeLabels, path, value);
  const removedKeys = Object.keys(pool.spec.template.metadata.labels ?? {}).filter((key) => !Object.hasOwn(next, key));
  return { ...Object.fromEntries(removedKeys.map((key) => [key, null])), ...next };
}

function parseValue<T>(schema: z.ZodType<T>, path: string, value: unknown): T {
  const result = schema.safeParse(parseStructure(path, value));
  if (result.success) return result.data;
  throw invalidInput(
    `Invalid input for field/attribute ${path.slice(1)}: ${result.error.issues[0]?.message ?? 'it is invalid'}`,
  );
}

async function remove(call: Call): Promise<Reply> {
  const stored = await requireChangeableCluster(call, 'Deleting a nodegroup');
  const ident = param(call, 'nodegroup');
  const pool = isMasterIdent(stored, ident) ? undefined : findPool(stored, ident);
  if (pool === undefined || pool === defaultPool(stored))
    throw invalidInput('Deleting a default nodegroup is not supported.');
  const { name = '', namespace = '', uid = '' } = pool.metadata;
  await call.client
    .resource(nodePools)
    .delete(name, { namespace, uid })
    .catch((error: unknown) => {
      throw replaceNotFound(error, nodegroupNotFound(ident));
    });
  await markChanged(call, stored);
  return { status: 204 };
}

async function factsOf(call: Call, { cluster }: StoredCluster): Promise<NodegroupFacts> {
  const { items } = await call.client.resource(plans).list();
  const plan = items.find(({ metadata }) => metadata.name === cluster.spec.plan);
  return {
    projectId: call.services.projectOfNamespace(cluster.metadata.namespace ?? '') ?? '',
    url: call.url,
    masters: plan?.spec.controlPlane.replicas ?? 1,
    nowMs: call.clock.now(),
  };
}
