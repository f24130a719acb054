import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { describe, expect, it } from 'vitest';
import { clustersUsing, successorsOf } from './credential-use.ts';

interface CredentialOptions {
  readonly namespace?: string;
  readonly cloud?: string;
  readonly project?: string | undefined;
  readonly ready?: string;
  readonly deletionTimestamp?: string;
}

function credential(name: string, options: CredentialOptions = {}) {
  const { namespace = 'team', cloud = 'c', ready = 'True', deletionTimestamp } = options;
  const project = 'project' in options ? options.project : 'p';
  return {
    metadata: { name, namespace, ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { cloud },
    status: { projectID: project, conditions: [{ type: 'Ready', status: ready }] },
  } as unknown as CloudCredential;
}

it('is used by the clusters in its namespace that reference it', () => {
  const cluster = (namespace: string, name: string, credentialName?: string) =>
    ({ metadata: { namespace, name }, spec: { credentialName } }) as unknown as Cluster;
  const all = [cluster('team', 'a', 'mine'), cluster('team', 'b'), cluster('other', 'c', 'mine')];

  expect(clustersUsing(credential('mine'), all).map(({ metadata }) => metadata.name)).toEqual(['a']);
});

describe('a credential', () => {
  it.each<{ reason: string; other: CloudCredential; may: boolean }>([
    { reason: 'another credential of the same project', other: credential('next'), may: true },
    { reason: 'itself', other: credential('mine'), may: false },
    { reason: 'a credential of another project', other: credential('next', { project: 'q' }), may: false },
    { reason: 'a credential of another cloud', other: credential('next', { cloud: 'd' }), may: false },
    { reason: 'a credential of another namespace', other: credential('next', { namespace: 'other' }), may: false },
    { reason: 'a credential that is not accepted', other: credential('next', { ready: 'False' }), may: false },
    {
      reason: 'a credential that is being deleted',
      other: credential('next', { deletionTimestamp: '2026-11-26T12:00:00Z' }),
      may: false,
    },
  ])('can be replaced by $reason: $may', ({ other, may }) => {
    expect(successorsOf(credential('mine'), [other]).length).toBe(may ? 1 : 0);
  });
});
