import { API_VERSION, FINALIZER, GROUP, PAUSED_ANNOTATION } from '@fairway/api/group';
import { type CloudCredential, CREDENTIAL_KEYS, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { randomSuffix } from '@fairway/api/names';
import type { Clock } from '@fairway/base/clock';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ownerRef } from '@fairway/kube/controller/owners';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { Cloud } from '@fairway/openstack/cloud';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Caller } from '../caller.ts';
import { MagnumError } from '../http/magnum-error.ts';

/** Label of a CloudCredential that was created here with a trust for a cluster. */
export const TRUST_LABEL = `${GROUP}/magnum-trust`;
/**
 * Annotation of the same object: the trust's expiry, which is unique among the user's trusts. It is written before the
 * trust is created, and identifies the trust.
 */
export const EXPIRY_ANNOTATION = `${GROUP}/magnum-trust-expires`;

/** Roles that suffice for a cluster; of these, the roles that the user has are delegated. */
const DELEGATED_ROLES = ['member', 'reader', 'load-balancer_member', 'creator'];

const ALTERNATIVE_ADVICE =
  'create a credential that all clusters of the project use: fairway credential create default --cloud CLOUD';

const YEAR_MS = 365 * 86_400_000;

export interface ClusterTrustsOptions {
  /** The operator's cloud, whose Keystone issued the tokens. */
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface TrustRequest {
  readonly clusterName: string;
  /** The caller's token. */
  readonly token: string;
}

export interface ProvidedCredential {
  /** Name of the CloudCredential. */
  readonly name: string;
  /** Deletes the credential, which revokes the trust. */
  revoke(): Promise<void>;
}

/** Credentials of clusters: trusts created with the token of the user who creates the cluster, as in Magnum. */
export class ClusterTrusts {
  readonly #options: ClusterTrustsOptions;

  constructor(options: ClusterTrustsOptions) {
    this.#options = options;
  }

  /**
   * Creates a trust for Fairway's own user, and the CloudCredential that holds it. **Guarantees.** The CloudCredential,
   * with its finalizer, exists before the trust. It records the trust's expiry, which is chosen at random, so
   * `OrphanedCredentialGC` can find the trust of a credential without a trust ID: after a crash between any two steps,
   * everything is still revoked. Its `reclaimPolicy` is Delete, so it is deleted with its cluster.
   * **Errors.** A {@link MagnumError} with advice if Keystone does not let the token create a trust.
   */
  async createCredential(
    { client, caller }: { readonly client: KubeClient; readonly caller: Caller },
    { clusterName, token }: TrustRequest,
  ): Promise<ProvidedCredential> {
    const { cloud, clock, random } = this.#options;
    if (cloud.config.credential.kind !== 'password') throw noTrusteeError();
    const trustee = await cloud
      .client()
      .session.token()
      .catch((error: unknown) => {
        throw isOpenStackError(error) ? loginError(error) : error;
      });
    const delegation = await trustorOf(cloud, token, caller.project.id);
    const { namespace } = caller;
    const expires = new Date(clock.now() + 50 * YEAR_MS + Math.floor(random() * YEAR_MS));
    const expiry = expires.toISOString().replace('Z', '000Z');
    const secrets = client.resource(Secrets);
    const credentials = client.resource(cloudCredentials);
    const credentialName = `${clusterName}-${randomSuffix(random)}`;
    const secretName = `${credentialName}-cloud-credential`;
    const credential = await credentials.create(
      {
        apiVersion: API_VERSION,
        kind: cloudCredentials.kind,
        metadata: {
          name: credentialName,
          namespace,
          labels: { [TRUST_LABEL]: 'true' },
          // Paused until the trust exists: an earlier login would fail, and the failure would be cached.
          annotations: { [EXPIRY_ANNOTATION]: expiry, [PAUSED_ANNOTATION]: 'true' },
          finalizers: [FINALIZER],
        },
        spec: { cloud: cloud.config.name, reclaimPolicy: 'Delete', secretRef: { name: secretName } },
      },
      { fieldManager: 'fairway-magnum' },
    );
    const { name = '' } = credential.metadata;
    const revoke = () => revokeCredential(client, credential);
    const secret = { name: secretName, namespace, ownerReferences: [ownerRef(credential, cloudCredentials)] };
    try {
      await secrets.create({ metadata: secret, stringData: {} });
    } catch (error) {
      await revoke();
      throw error;
    }
    const trust = await delegation.identity
      .createTrust({
        trustee_user_id: trustee.token.user.id,
        project_id: caller.project.id,
        impersonation: true,
        roles: delegation.roles,
        expires_at: expiry,
      })
      .catch(async (error: unknown) => {
        // The trust may exist anyway, so the credential stays until garbage collection finds the trust by its
        // expiry.
        if (isOpenStackError(error) && error.outcome === 'notDone') await revoke();
        throw toTrustError(error);
      });
    // After any later failure, garbage collection handles the credential the same way.
    await secrets.update({ metadata: secret, stringData: { [CREDENTIAL_KEYS.trustId]: trust.id } });
    const annotations = { [PAUSED_ANNOTATION]: null };
    await credentials.patch(name, { type: 'merge', value: { metadata: { annotations } } }, { namespace });
    return { name, revoke };
  }
}

/** A Keystone client with the user's token, and the roles to delegate. */
async function trustorOf(cloud: Cloud, token: string, projectId: string) {
  const client = cloud.client({ kind: 'token', token, scope: { kind: 'project', project: { id: projectId } } });
  try {
    const { token: issued } = await client.session.token();
    const heldRoles = new Set(issued.roles.map(({ name }) => name));
    return {
      identity: client.identity,
      roles: DELEGATED_ROLES.filter((role) => heldRoles.has(role)).map((name) => ({ name })),
    };
  } catch (error) {
    throw toTrustError(error);
  }
}

function noTrusteeError(): MagnumError {
  return new MagnumError(
    409,
    `Fairway's own user in this cloud cannot be the trustee of a trust: ${ALTERNATIVE_ADVICE}`,
  );
}

/** An error that the caller cannot resolve. */
function loginError(error: Error): MagnumError {
  return new MagnumError(503, 'Fairway cannot log in to this cloud at the moment: try again later', { cause: error });
}

function toTrustError(error: unknown): unknown {
  if (isOpenStackError(error, 'unauthorized') || isOpenStackError(error, 'forbidden')) {
    return new MagnumError(
      403,
      `Fairway needs a trust to act for the cluster, and Keystone does not let this token create one (${error.detail}): log in with a password, or ${ALTERNATIVE_ADVICE}`,
      { cause: error },
    );
  }
  if (isOpenStackError(error))
    return new MagnumError(503, `Keystone cannot create a trust at the moment: ${error.message}`, { cause: error });
  return error;
}

/**
 * Deletes a CloudCredential that was created here. It may still be paused until it has its trust; unpausing lets its
 * finalizer revoke the trust.
 */
export async function revokeCredential(client: KubeClient, { metadata }: CloudCredential): Promise<void> {
  const { name = '', namespace = '', uid = '' } = metadata;
  const credentials = client.resource(cloudCredentials);
  const value = { metadata: { uid, annotations: { [PAUSED_ANNOTATION]: null } } };
  await ignoreDeleted(credentials.patch(name, { type: 'merge', value }, { namespace }));
  await ignoreDeleted(credentials.delete(name, { namespace, uid }));
}
