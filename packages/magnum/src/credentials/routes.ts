import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { requireChangeableCluster } from '../clusters/change-routes.ts';
import { type Call, type Reply, type Route } from '../http/call.ts';
import { invalidInput, MagnumError } from '../http/magnum-error.ts';
import { TRUST_LABEL } from './cluster-trusts.ts';

export const CREDENTIAL_ROUTES: readonly Route[] = [
  { method: 'PATCH', path: 'credentials/{cluster}', since: 12, action: 'credential:rotate', handle: rotate },
];

/** Creates a new trust for the cluster; the previous one is deleted when no cluster uses it. */
async function rotate(call: Call): Promise<Reply> {
  const { cluster } = await requireChangeableCluster(call, 'Rotating a credential');
  const { name = '', namespace = '', uid } = cluster.metadata;
  // A trust applies to the project of the token.
  if (namespace !== call.caller.namespace)
    throw new MagnumError(403, `Cluster ${name} belongs to another project: log in to that project to create a trust`);
  const { credentialName } = cluster.spec;
  if (credentialName === undefined) {
    throw invalidInput(
      "the cluster uses the operator's credential for its project: it has no credential of its own to rotate",
    );
  }
  const current = await call.client.resource(cloudCredentials).get(credentialName, { namespace });
  if (current.metadata.labels?.[TRUST_LABEL] === undefined) {
    throw invalidInput(
      `the cluster uses CloudCredential ${credentialName}, which this API did not create: update its Secret instead`,
    );
  }
  const next = await call.services.trusts.createCredential(call, { clusterName: name, token: call.token });
  try {
    const value = { spec: { credentialName: next.name } };
    await call.client
      .resource(clusters)
      .patch(name, { type: 'merge', value }, { namespace, fieldManager: 'fairway-magnum' });
  } catch (error) {
    await next.revoke();
    throw error;
  }
  return { status: 202, body: { uuid: uid } };
}
