import { API_VERSION, FINALIZER, GROUP, PAUSED_ANNOTATION } from '@fairway/api/group';
import { type CloudCredential, CREDENTIAL_KEYS, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { randomSuffix } from '@fairway/api/names';
import type { Clock } from '@fairway/base/clock';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ownerRef } from '@fairway/kube/controller/owners';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { Cloud } from '@fairway/openstack/cloud';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Caller } from '../caller.ts';
import { MagnumError } from '../http/magnum-error.ts';

/** On a CloudCredential that was made for a cluster here, with a trust. */
export const MADE_HERE_LABEL = `${GROUP}/magnum-trust`;
/** On the same: when its trust ends, which no other trust of the user does then. It is noted before the trust is made, and finds it again. */
export const EXPIRY_ANNOTATION = `${GROUP}/magnum-trust-expires`;

/** Roles that suffice for a cluster; those of them that the user has are delegated. */
const GIVEN_ROLES = ['member', 'reader', 'load-balancer_member', 'creator'];

const OTHER_WAY =
  'give the project a credential once, which its clusters then use: fairway credential create default --cloud CLOUD';

const YEAR_MS = 365 * 86_400_000;

export interface ClusterTrustsOptions {
  /** The operator's, whose Keystone the tokens are of. */
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface TrustFor {
  readonly clusterName: string;
  /** The caller's. */
  readonly token: string;
}

export interface GivenCredential {
  /** Of the CloudCredential. */
  readonly name: string;
  /** Deletes it again, which revokes the trust. */
  takeBack(): Promise<void>;
}

/** Credentials of clusters: trusts, made with the token of whoever creates the cluster, as the original makes them. */
export class ClusterTrusts {
  readonly #options: ClusterTrustsOptions;

  constructor(options: ClusterTrustsOptions) {
    this.#options = options;
  }

  /**
   * Makes a trust to Fairway's own user, and the CloudCredential that holds it.
   *
   * **Guarantees.** The CloudCredential, with its finalizer, is there before the trust, with the time that the trust ends, which is drawn at random: whoever finds a credential without a
   * trust finds the trust by it (`AbandonedCredentials`), so that a crash between any two steps leaves nothing that is not revoked. Its `reclaimPolicy` is
   * Delete: it goes with its cluster.
   *
   * **Errors.** A {@link MagnumError} that says what to do where Keystone lets the token give no trust.
   */
  async give(
    { client, caller }: { readonly client: KubeClient; readonly caller: Caller },
    { clusterName, token }: TrustFor,
  ): Promise<GivenCredential> {
    const { cloud, clock, random } = this.#options;
    if (cloud.config.credential.kind !== 'password') throw noTrustee();
    const trustee = await cloud
      .client()
      .session.token()
      .catch((error: unknown) => {
        throw isOpenStackError(error) ? noLogin(error) : error;
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
          labels: { [MADE_HERE_LABEL]: 'true' },
          // Nobody logs in with it before there is a trust: Keystone's refusal would be remembered.
          annotations: { [EXPIRY_ANNOTATION]: expiry, [PAUSED_ANNOTATION]: 'true' },
          finalizers: [FINALIZER],
        },
        spec: { cloud: cloud.config.name, reclaimPolicy: 'Delete', secretRef: { name: secretName } },
      },
      { fieldManager: 'fairway-magnum' },
    );
    const { name = '' } = credential.metadata;
    const takeBack = () => takeBackCredential(client, credential);
    const secret = { name: secretName, namespace, ownerReferences: [ownerRef(credential, cloudCredentials)] };
    try {
      await secrets.create({ metadata: secret, stringData: {} });
    } catch (error) {
      await takeBack();
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
        // There may be one all the same: then the credential stays until it is found by its expiry.
        if (isOpenStackError(error) && error.outcome === 'notDone') await takeBack();
        throw refusedBy(error);
      });
    // Whatever fails from here on leaves the credential for the same.
    await secrets.update({ metadata: secret, stringData: { [CREDENTIAL_KEYS.trustId]: trust.id } });
    const annotations = { [PAUSED_ANNOTATION]: null };
    await credentials.patch(name, { type: 'merge', value: { metadata: { annotations } } }, { namespace });
    return { name, takeBack };
  }
}

/** Keystone as the user. */
async function trustorOf(cloud: Cloud, token: string, projectId: string) {
  const client = cloud.client({ kind: 'token', token, scope: { kind: 'project', project: { id: projectId } } });
  try {
    const { token: issued } = await client.session.token();
    const held = new Set(issued.roles.map(({ name }) => name));
    return { identity: client.identity, roles: GIVEN_ROLES.filter((role) => held.has(role)).map((name) => ({ name })) };
  } catch (error) {
    throw refusedBy(error);
  }
}

function noTrustee(): MagnumError {
  return new MagnumError(409, `Fairway's own login in this cloud can receive no trust: ${OTHER_WAY}`);
}

/** Nothing that the caller could do about. */
function noLogin(error: Error): MagnumError {
  return new MagnumError(503, "Fairway can't log in to this cloud now: try again later", { cause: error });
}

function refusedBy(error: unknown): unknown {
  if (isOpenStackError(error, 'unauthorized') || isOpenStackError(error, 'forbidden')) {
    return new MagnumError(
      403,
      `Fairway needs a trust to act for the cluster, and Keystone lets this token give none (${error.detail}): log in with a password, or ${OTHER_WAY}`,
      { cause: error },
    );
  }
  if (isOpenStackError(error))
    return new MagnumError(503, `Keystone gives no trust now: ${error.message}`, { cause: error });
  return error;
}

/** Deletes a CloudCredential that was made here. It may be paused until it has its trust: what revokes that has to run. */
export async function takeBackCredential(client: KubeClient, { metadata }: CloudCredential): Promise<void> {
  const { name = '', namespace = '', uid = '' } = metadata;
  const credentials = client.resource(cloudCredentials);
  const value = { metadata: { uid, annotations: { [PAUSED_ANNOTATION]: null } } };
  await ignoreGone(credentials.patch(name, { type: 'merge', value }, { namespace }));
  await ignoreGone(credentials.delete(name, { namespace, uid }));
}
