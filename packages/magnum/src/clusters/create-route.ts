import { DRY_RUN_ANNOTATION, dryRunAnnotation } from '@fairway/api/admission/dry-run-siblings';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NewNodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import { requirePermission } from '../access/permissions.ts';
import { parseBody } from '../http/body.ts';
import type { Call, Reply, Route } from '../http/call.ts';
import { invalidInput, MagnumError } from '../http/magnum-error.ts';
import { findTemplate, readOffer } from '../templates/find-template.ts';
import type { Template, TemplateOffer } from '../templates/template.ts';
import { networkIds } from './network-ids.ts';
import { ClusterBody, type NewObjects, networkNames, newObjects } from './new-cluster.ts';
import { generatedName } from './object-name.ts';
import { createPool, isPermanentRefusal, isRefusal } from './pending-nodegroups.ts';
import { clusterRecord, recordAnnotation, warningsRecord } from './record.ts';

export const CLUSTER_CREATE_ROUTE: Route = {
  method: 'POST',
  path: 'clusters',
  action: 'cluster:create',
  handle: create,
};

async function create(call: Call): Promise<Reply> {
  const { client, caller, minor, services } = call;
  const { namespace } = caller;
  const body = parseBody(ClusterBody, call.body);
  if (body.node_count === 0 && minor < 10) throw zeroNodesError();
  await requirePermission(client, { verb: 'create', resource: 'clusters', namespace }, 'cluster:create');
  const { plans, templates } = await readOffer(call);
  const template = findTemplate(templates, body.cluster_template_id, minor >= 10 ? 404 : 400);
  if (template.fields.hidden && template.offer) throw hiddenTemplateError(template, template.offer, templates);
  const openStack = () => services.openStackOf(call.token, caller.project.id);
  const networks = await networkIds(networkNames(body, template), openStack);
  const objects = newObjects(body, template, {
    namespace,
    userId: caller.userId,
    request: call.requestId,
    generatedName: generatedName(services.random),
    networks,
    planOf: (name = 'free') => plans.find(({ metadata }) => metadata.name === name),
    nowMs: call.clock.now(),
  });
  return { status: 202, body: { uuid: await createObjects(call, objects) } };
}

/**
 * Creates the credential first, because a Cluster cannot reference a missing one; then the Cluster, then its pool,
 * which is recorded as pending until it is created. Cluster and pool are dry-run first, so nothing is created if
 * admission rejects either. After a crash, `OrphanedCredentialGC` deletes a credential that no cluster uses, and
 * `PendingNodegroups` creates the missing pool.
 */
async function createObjects(call: Call, { cluster, pool }: NewObjects): Promise<string> {
  const { client, caller, services, token, warnings } = call;
  const { namespace } = caller;
  const { name = '' } = cluster.metadata;
  const state = services.configuredCredential(namespace);
  const ownCredential =
    state === undefined ? await services.trusts.createCredential(call, { clusterName: name, token }) : undefined;
  const credentialName = ownCredential?.name ?? (state?.kind === 'credential' ? state.name : undefined);
  const spec = { ...cluster.spec, ...(credentialName !== undefined && { credentialName }) };
  const create = (dryRun: boolean) => {
    // The dry run returns the warnings, which `status_reason` reports.
    const record = { ...clusterRecord(cluster), ...warningsRecord(warnings) };
    const metadata = { ...cluster.metadata, annotations: recordAnnotation(record) };
    return client
      .resource(clusters)
      .create({ ...cluster, metadata, spec } as never, { fieldManager: 'fairway-magnum', dryRun })
      .catch((error: unknown) => {
        throw isApiError(error, 'AlreadyExists')
          ? new MagnumError(409, `A cluster with name ${name} already exists.`, { cause: error })
          : error;
      });
  };
  const revokeAndThrow = async (error: unknown) => {
    await ownCredential?.revoke();
    throw error;
  };
  await create(true)
    .then((dryRunObject) => dryRunPool(client, pool, dryRunObject))
    .catch(revokeAndThrow);
  const removePendingNodegroup = await services.pendingNodegroups.enqueue(pool, call.requestId).catch(revokeAndThrow);
  const created = await create(false).catch(async (error: unknown) => {
    // If the outcome is unknown, garbage collection cleans up.
    if (!isRefusal(error) && !(error instanceof MagnumError)) throw error;
    await removePendingNodegroup();
    return revokeAndThrow(error);
  });
  const { uid = '' } = created.metadata;
  try {
    await createPool(client, pool);
  } catch (error) {
    // If the outcome is unknown, `PendingNodegroups` creates the pool.
    if (!isPermanentRefusal(error)) return uid;
    // Deleting the cluster also deletes its credential.
    await ignoreDeleted(client.resource(clusters).delete(name, { namespace, uid }));
    await removePendingNodegroup();
    throw error;
  }
  await removePendingNodegroup();
  return uid;
}

/** Dry-runs the pool of a cluster that does not exist yet; rejects if admission does. */
async function dryRunPool(client: KubeClient, pool: NewNodePool, cluster: Cluster): Promise<void> {
  const annotations = {
    ...pool.metadata.annotations,
    [DRY_RUN_ANNOTATION]: dryRunAnnotation({ clusters: [cluster], pools: [] }),
  };
  const dryRunObject = { ...pool, metadata: { ...pool.metadata, annotations } };
  await client.resource(nodePools).create(dryRunObject as never, { fieldManager: 'fairway-magnum', dryRun: true });
}

/** The 403 for an operator's template that new clusters cannot use. */
function hiddenTemplateError(
  { name, fields }: Template,
  { plan, minor, planProblem }: TemplateOffer,
  templates: readonly Template[],
): MagnumError {
  if (planProblem === undefined) {
    return new MagnumError(
      403,
      `ClusterTemplate ${name} is hidden: its version is not available for new clusters, or its plan is not ready`,
    );
  }
  const others = templates.filter(({ offer, fields: other }) => offer?.plan === plan && !other.hidden);
  const advice =
    others.length === 0
      ? 'use a template of another plan'
      : `use ClusterTemplate ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(others.map((other) => other.name))}`;
  const tag = fields.labels?.['kube_tag'] ?? `v${minor}`;
  return new MagnumError(403, `ClusterTemplate ${name} is hidden: its kube_tag ${tag} ${planProblem}; ${advice}`);
}

export function zeroNodesError(): MagnumError {
  return invalidInput('Resizing a nodegroup to zero is not supported in the provided microversion.');
}
