import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { isApiError } from '@fairway/kube/object/api-error';
import { requireRight } from '../access/may.ts';
import { parseBody } from '../http/body.ts';
import type { Call, Reply, Route } from '../http/call.ts';
import { invalidInput, MagnumError } from '../http/magnum-error.ts';
import { findTemplate, readOffer } from '../templates/find-template.ts';
import { networkIds } from './network-ids.ts';
import { ClusterBody, type NewObjects, networkNames, newObjects } from './new-cluster.ts';
import { generatedName } from './object-name.ts';

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
  if (body.node_count === 0 && minor < 10) throw zeroNodes();
  await requireRight(client, { verb: 'create', resource: 'clusters', namespace }, 'cluster:create');
  const { plans, templates } = await readOffer(call);
  const template = findTemplate(templates, body.cluster_template_id, minor >= 10 ? 404 : 400);
  if (template.fields.hidden && template.offer) {
    throw new MagnumError(
      403,
      `ClusterTemplate ${template.name} is hidden: its version is not for new clusters, or its plan is not ready`,
    );
  }
  const openStack = () => services.openStackOf(call.token, caller.project.id);
  const networks = await networkIds(networkNames(body, template), openStack);
  const objects = newObjects(body, template, {
    namespace,
    userId: caller.userId,
    generatedName: generatedName(services.random),
    networks,
    replicasOf: (plan = 'free') => plans.find(({ metadata }) => metadata.name === plan)?.spec.controlPlane.replicas,
  });
  return { status: 202, body: { uuid: await createAll(call, objects) } };
}

/**
 * The credential first, since a Cluster can't name one that is not there; then the Cluster, then its pool. What has been made is taken back when the rest
 * can't be; after a crash, a credential that no cluster names is (`AbandonedCredentials`), and a cluster without a pool gets one when it is resized.
 */
async function createAll(call: Call, { cluster, pool }: NewObjects): Promise<string> {
  const { client, caller, services, token } = call;
  const { namespace } = caller;
  const { name = '' } = cluster.metadata;
  const standing = services.standingCredential(namespace);
  const given = standing === undefined ? await services.trusts.give(call, { clusterName: name, token }) : undefined;
  const credentialName = given?.name ?? (standing?.kind === 'credential' ? standing.name : undefined);
  const spec = { ...cluster.spec, ...(credentialName !== undefined && { credentialName }) };
  const made = await client
    .resource(clusters)
    .create({ ...cluster, spec } as never, { fieldManager: 'fairway-magnum' })
    .catch(async (error: unknown) => {
      await given?.takeBack();
      throw isApiError(error, 'AlreadyExists')
        ? new MagnumError(409, `A cluster with name ${name} already exists.`)
        : error;
    });
  const { uid = '' } = made.metadata;
  try {
    await client.resource(nodePools).create(pool as never, { fieldManager: 'fairway-magnum' });
  } catch (error) {
    // Its credential goes with it.
    await ignoreGone(client.resource(clusters).delete(name, { namespace, uid }));
    throw error;
  }
  return uid;
}

export function zeroNodes(): MagnumError {
  return invalidInput('Resizing a nodegroup to zero is not supported in the provided microversion.');
}
