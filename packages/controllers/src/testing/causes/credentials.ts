import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS, type Steps } from './cause.ts';

/** A cluster with a CloudCredential `mine` that expires in this many milliseconds. */
function withCredential(endsInMs?: number): Pick<Steps, 'from' | 'begin' | 'request'> {
  const ends = endsInMs === undefined ? {} : { endsInMs };
  const request = async (fairway: TestFairway) => {
    await fairway.createCredential(ends);
    await fairway.createCluster({ credentialName: 'mine' });
  };
  return { from: 'nothing', begin: request, request: () => undefined };
}

/** Revokes the credential in Keystone, once a cluster uses it. */
const revoked: Pick<Steps, 'from' | 'begin' | 'request'> = {
  from: 'nothing',
  begin: async (fairway) => {
    const id = await fairway.createCredential();
    await fairway.createCluster({ credentialName: 'mine' });
    await fairway.until(cloudCredentials, ([credential]) => credential?.status?.credentialID !== undefined);
    await fairway.process.project.client.identity.deleteApplicationCredential(id);
  },
  request: () => undefined,
};

const RENEW_ADVICE =
  'create another one ("fairway credential create NAME --cloud CLOUD") and set spec.credentialName of the clusters that use this one, or replace Secret login';

/** Reports about credentials. */
export const CREDENTIAL_CAUSES: readonly Cause[] = [
  {
    cause: 'The credential is wrong, expired or revoked',
    by: 'a refused login',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'CredentialInvalid',
    message:
      "identity: Injected by the simulator.; the credential of this project is wrong, expired or revoked: it belongs to cloud simulator in the operator's clouds.yaml, and the operator must renew it",
  },
  {
    cause: 'A credential expires soon',
    by: withCredential(7 * 24 * 60 * MINUTE_MS),
    kind: 'CloudCredential',
    phase: 'Bound',
    condition: 'ExpiresSoon',
    reason: 'CredentialExpiresSoon',
    message: `it expires within 7 days, at {time}; ${RENEW_ADVICE}`,
    event: {
      kind: 'CloudCredential',
      reason: 'CredentialExpiresSoon',
      message: `it expires within 7 days, at {time}; ${RENEW_ADVICE}`,
    },
  },
  {
    cause: 'The credential of a cluster expires soon',
    by: withCredential(24 * 60 * MINUTE_MS),
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'CredentialExpiresSoon',
    reason: 'CredentialExpiresSoon',
    message: `CloudCredential mine: it expires within a day, at {time}; ${RENEW_ADVICE}`,
    event: {
      kind: 'Cluster',
      reason: 'CredentialExpiresSoon',
      message: `CloudCredential mine: it expires within a day, at {time}; ${RENEW_ADVICE}`,
    },
  },
  {
    cause: 'A credential has expired',
    by: withCredential(MINUTE_MS),
    afterMs: 2 * MINUTE_MS,
    kind: 'CloudCredential',
    phase: 'Bound',
    reason: 'CredentialInvalid',
    message: `it expired at {time}; ${RENEW_ADVICE}`,
    event: { kind: 'CloudCredential', reason: 'CredentialInvalid', message: `it expired at {time}; ${RENEW_ADVICE}` },
  },
  {
    cause: 'The credential of a cluster has expired',
    by: withCredential(MINUTE_MS),
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Degraded',
    reason: 'CredentialInvalid',
    message: `CloudCredential mine cannot be used: it expired at {time}; ${RENEW_ADVICE}`,
    event: {
      kind: 'Cluster',
      reason: 'Degraded',
      message: `CloudCredential mine cannot be used: it expired at {time}; ${RENEW_ADVICE}`,
    },
  },
  {
    cause: 'A credential is revoked',
    by: revoked,
    afterMs: 2 * MINUTE_MS,
    kind: 'CloudCredential',
    phase: 'Bound',
    reason: 'CredentialInvalid',
    message: `it was revoked: Keystone no longer has application credential {id}; ${RENEW_ADVICE}`,
    event: {
      kind: 'CloudCredential',
      reason: 'CredentialInvalid',
      message: `it was revoked: Keystone no longer has application credential {id}; ${RENEW_ADVICE}`,
    },
  },
  {
    cause: 'The credential may not create networks',
    by: '403 to networks',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'PermissionDenied',
    message: "network: Injected by the simulator.; Fairway's credential requires the role member in the project",
  },
  {
    cause: 'The credential may not create servers',
    by: '403 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'PermissionDenied',
    message:
      "1/4 nodes are ready; {machine}: compute: Injected by the simulator.; Fairway's credential requires the role member in the project",
  },
  {
    cause: 'A CloudCredential is gone',
    by: {
      from: 'nothing',
      begin: (fairway) => fairway.createCluster({ credentialName: 'lost' }),
      request: () => undefined,
    },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'CredentialInvalid',
    message:
      'spec.credentialName: namespace team has no usable CloudCredential lost; create it, or specify another one for the same project',
  },
];
