import { type CloudCredential, CREDENTIAL_KEYS, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ownerRef } from '@fairway/kube/controller/owners';
import { Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { Cloud } from '@fairway/openstack/cloud';
import type { Trust } from '@fairway/openstack/types/identity';
import { EXPIRY_ANNOTATION, revokeCredential, TRUST_LABEL } from './cluster-trusts.ts';

/** A request that creates a credential takes a few seconds. */
const MIN_AGE_MS = 10 * 60_000;

export interface OrphanedCredentialGCOptions {
  /** A client with Fairway's own identity. */
  readonly client: KubeClient;
  readonly cloud: Cloud;
  /** A namespace's project, as set by the operator. */
  readonly projectOfNamespace: (namespace: string) => string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/** Deletes credentials that a crash orphaned during a cluster's creation, with or without a recorded trust. */
export class OrphanedCredentialGC {
  readonly #options: OrphanedCredentialGCOptions;

  constructor(options: OrphanedCredentialGCOptions) {
    this.#options = options;
  }

  /** One pass; the next pass retries failures. */
  async sweep(): Promise<void> {
    const { client, cloud, log } = this.#options;
    const { items } = await client.resource(cloudCredentials).list({ labelSelector: TRUST_LABEL });
    const orphaned = items.filter((credential) => this.#isOrphaned(credential));
    if (orphaned.length === 0) return;
    const all = await client.resource(clusters).list();
    const referenced = new Set(all.items.map(({ metadata, spec }) => `${metadata.namespace}/${spec.credentialName}`));
    let trustsPromise: Promise<readonly Trust[]> | undefined;
    const receivedTrusts = () => {
      trustsPromise ??= cloud.client().identity.trustsReceived();
      return trustsPromise;
    };
    for (const credential of orphaned) {
      const { namespace = '', name = '' } = credential.metadata;
      if (referenced.has(`${namespace}/${name}`)) continue;
      try {
        await this.#recordTrust(credential, items, receivedTrusts);
        await revokeCredential(client, credential);
        log.info({ credential: `${namespace}/${name}` }, 'deleted a credential that no cluster uses');
      } catch (error) {
        log.warn(
          { err: error, credential: `${namespace}/${name}` },
          'could not delete an orphaned credential, will retry',
        );
      }
    }
  }

  #isOrphaned({ metadata, status }: CloudCredential): boolean {
    const ageMs = this.#options.clock.now() - Date.parse(metadata.creationTimestamp ?? '');
    const isUnused = status?.phase === undefined || status.phase === 'Available';
    return isUnused && metadata.deletionTimestamp === undefined && ageMs > MIN_AGE_MS;
  }

  /** Records the trust, so that the credential's finalizer revokes it. */
  async #recordTrust(
    credential: CloudCredential,
    all: readonly CloudCredential[],
    receivedTrusts: () => Promise<readonly Trust[]>,
  ): Promise<void> {
    const expiry = expiryOf(credential);
    // Otherwise a tenant who copies another tenant's annotation could get that trust revoked.
    if (all.filter((other) => expiryOf(other) === expiry).length > 1) return;
    const { namespace = '' } = credential.metadata;
    const secrets = this.#options.client.resource(Secrets);
    const { name } = credential.spec.secretRef;
    const secret = await secrets.get(name, { namespace }).catch((error: unknown) => {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    });
    if (secret === undefined || expiry === undefined || secret.data?.[CREDENTIAL_KEYS.trustId] !== undefined) return;
    const project = this.#options.projectOfNamespace(namespace);
    // Tenants can write any timestamp into the annotation, so trusts of other projects are ignored.
    const trust = (await receivedTrusts()).find(
      ({ expires_at, project_id }) => project_id === project && Date.parse(expires_at ?? '') === Date.parse(expiry),
    );
    if (trust === undefined) return;
    const metadata = { name, namespace, ownerReferences: [ownerRef(credential, cloudCredentials)] };
    await secrets.update({ metadata, stringData: { [CREDENTIAL_KEYS.trustId]: trust.id } });
  }
}

function expiryOf({ metadata }: CloudCredential): string | undefined {
  return metadata.annotations?.[EXPIRY_ANNOTATION];
}
