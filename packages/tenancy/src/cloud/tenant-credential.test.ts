import type { Credential } from '@fairway/openstack/auth/credential';
import type { Token } from '@fairway/openstack/types/identity';
import { describe, expect, it } from 'vitest';
import { type ExpectedProject, tenantCredential } from './tenant-credential.ts';

const TRUSTEE: Credential = {
  kind: 'password',
  user: { id: 'fairway' },
  password: 'secret of the operator',
  scope: { kind: 'project', project: { id: 'operators' } },
};
const HOME: ExpectedProject = { id: 'home', reason: 'namespace team' };

interface TestOptions {
  readonly data?: Readonly<Record<string, string>> | undefined;
  readonly expected?: ExpectedProject | undefined;
  readonly trustee?: Credential;
}

function credential({ data, expected, trustee = TRUSTEE }: TestOptions) {
  const encoded = data && Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)]));
  return tenantCredential({
    namespace: 'team',
    name: 'credential team/mine',
    secret: () => Promise.resolve(encoded),
    trustee,
    expectedProject: () => expected,
  });
}

function token(projectId: string, roles: readonly string[]): Token {
  const domain = { id: 'default', name: 'Default' };
  return {
    methods: ['application_credential'],
    user: { id: 'user', name: 'somebody', domain },
    audit_ids: [],
    issued_at: '2026-01-01T00:00:00.000000Z',
    expires_at: '2026-01-01T01:00:00.000000Z',
    project: { id: projectId, name: projectId, domain },
    roles: roles.map((name) => ({ id: name, name })),
    catalog: [],
  };
}

describe('Fairway’s login', () => {
  const application = { application_credential_id: 'id', application_credential_secret: 'sesame\n' };

  it.each<{ what: string; data: Record<string, string>; expected?: ExpectedProject; login: Credential }>([
    {
      what: 'an application credential',
      data: application,
      login: { kind: 'applicationCredential', id: 'id', secret: 'sesame' },
    },
    {
      what: 'a trust, as the operator who is its trustee',
      data: { trust_id: 'trust' },
      expected: HOME,
      login: { ...TRUSTEE, scope: { kind: 'trust', trustId: 'trust' } },
    },
    {
      what: 'an application credential rather than a trust',
      data: { ...application, trust_id: 'trust' },
      login: { kind: 'applicationCredential', id: 'id', secret: 'sesame' },
    },
  ])('uses $what', async ({ data, expected, login }) => {
    expect(await credential({ data, expected }).credential()).toEqual(login);
  });

  it.each<TestOptions & { reason: string; kind: string; says: RegExp }>([
    { reason: 'the Secret does not exist', kind: 'unauthorized', says: /team\/mine: its Secret does not exist/ },
    { reason: 'the Secret is empty', data: {}, kind: 'unauthorized', says: /must have the keys/ },
    {
      reason: 'the ID or the secret is missing',
      data: { application_credential_id: 'id' },
      kind: 'unauthorized',
      says: /must have the keys/,
    },
    {
      reason: 'the trust may belong to another tenant',
      data: { trust_id: 'trust' },
      kind: 'forbidden',
      says: /fairway\.dev\/project-id/,
    },
    {
      reason: 'the operator’s user cannot be a trustee',
      data: { trust_id: 'trust' },
      expected: HOME,
      trustee: { kind: 'applicationCredential', id: 'operator', secret: 'x' },
      kind: 'forbidden',
      says: /cannot use trusts/,
    },
  ])('fails because $reason', async ({ kind, says, ...testOptions }) => {
    await expect(credential(testOptions).credential()).rejects.toMatchObject({
      kind,
      detail: expect.stringMatching(says),
    });
  });
});

describe('a token', () => {
  it.each<{ reason: string; expected?: ExpectedProject; project: string; roles: readonly string[] }>([
    { reason: 'the expected project', expected: HOME, project: 'home', roles: ['member', 'reader'] },
    { reason: 'any project if none is expected', project: 'elsewhere', roles: ['member'] },
    { reason: 'any role that Fairway does not know', expected: HOME, project: 'home', roles: ['_member_'] },
  ])('is accepted for $reason', ({ expected, project, roles }) => {
    expect(() => credential({ expected }).accept(token(project, roles))).not.toThrow();
  });

  it.each<{ reason: string; project: string; roles: readonly string[]; kind: string; says: RegExp }>([
    {
      reason: 'another project',
      project: 'elsewhere',
      roles: ['member'],
      kind: 'unauthorized',
      says: /is for project elsewhere .* namespace team is in home/,
    },
    {
      reason: 'a read-only role',
      project: 'home',
      roles: ['reader'],
      kind: 'forbidden',
      says: /requires the role member/,
    },
    { reason: 'a missing role', project: 'home', roles: [], kind: 'forbidden', says: /roles \(none\)/ },
  ])('is rejected for $reason', ({ project, roles, kind, says }) => {
    const use = () => credential({ expected: HOME }).accept(token(project, roles));

    expect(use).toThrow(expect.objectContaining({ kind, detail: expect.stringMatching(says) }));
  });
});
