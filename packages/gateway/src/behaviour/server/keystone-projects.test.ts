import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import type { KeystoneUser } from '@fairway/identity/keystone-user';
import { CLEANUP_KEY, projectCleanup } from '@fairway/identity/project-cleanup';
import { NEW_NAMESPACE_RATE, ProjectNamespaces } from '@fairway/identity/project-namespaces';
import { DEFAULT_ROLES } from '@fairway/identity/settings';
import { newKeystoneUser } from '@fairway/identity/testing/keystone-user';
import { Namespaces, RoleBindings } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeystoneGateway, startKeystoneGateway } from '../../testing/keystone-gateway.ts';

const PERIOD_MS = 10 * 60_000;
const LIST = 'GET /v3/projects';

let gateway: KeystoneGateway;
beforeEach(async () => {
  gateway = await startKeystoneGateway('embedded');
});
afterEach(() => gateway.close());

const api = () => ({ reader: () => gateway.form.server.reader, client: () => gateway.form.client });

function userOf(id: string, name = id, roles: readonly string[] = ['member'], domain = 'default'): KeystoneUser {
  const home = { id: domain, name: domain };
  return newKeystoneUser({ userDomain: home, project: { id, name, domain: home }, roles });
}

describe('the namespace of a project', () => {
  const clock = new FakeClock();
  const namespaces = (settings: Partial<ConstructorParameters<typeof ProjectNamespaces>[0]['settings']> = {}) =>
    new ProjectNamespaces({
      settings: { namespaceFormat: '%i', roles: DEFAULT_ROLES, ignoredProjects: [], ...settings },
      clock,
      ...api(),
    });
  const bindings = async (namespace: string) =>
    (await gateway.form.client.resource(RoleBindings).list({ namespace })).items.map(
      ({ roleRef, subjects = [] }) => `${roleRef.name}: ${subjects.map(({ name }) => name).join(' ')}`,
    );

  it.each<{ why: string; user: KeystoneUser; ignoredProjects?: string[] }>([
    { why: 'without a project in their token', user: { ...userOf('a'), project: undefined } },
    { why: 'with roles that have no meaning here', user: userOf('a', 'a', ['creator', 'toString']) },
    { why: 'in an ignored project', user: userOf('a'), ignoredProjects: ['a'] },
  ])('is not created for a user $why', async ({ user, ignoredProjects = [] }) => {
    expect(await namespaces({ ignoredProjects }).of(user)).toBeUndefined();
    expect(gateway.form.server.reader.get(Namespaces, '', 'a')).toBeUndefined();
  });

  it('is created once, however many requests arrive at the same time', async () => {
    const one = namespaces();
    const { reader } = gateway.form.server;
    const names = await Promise.all(Array.from({ length: 50 }, () => one.of(userOf('a'))));
    const previousRevision = reader.revisionOf(Namespaces);
    await one.of(userOf('a'));
    await namespaces().of(userOf('a'));

    expect(new Set(names)).toEqual(new Set(['a']));
    expect(reader.revisionOf(Namespaces)).toBe(previousRevision);
  });

  it('is completed after a process was killed before it had bound the roles', async () => {
    const metadata = { name: 'a', annotations: { 'fairway.dev/project-id': 'a' } };
    await gateway.form.client.resource(Namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });

    await namespaces().of(userOf('a'));

    expect(await bindings('a')).toEqual([
      'fairway-member: keystone:project:a:admin keystone:project:a:member',
      'fairway-reader: keystone:project:a:reader',
    ]);
  });

  it('gets different bindings if the operator maps roles differently', async () => {
    await namespaces().of(userOf('a'));

    await namespaces({ roles: { operator: 'fairway-member', member: 'view' } }).of(userOf('a'));

    expect(await bindings('a')).toEqual([
      'fairway-member: keystone:project:a:operator',
      'view: keystone:project:a:member',
    ]);
  });

  it('loses the bindings of a role that is no longer mapped when its holder makes a request', async () => {
    await namespaces().of(userOf('a'));
    const remappedNamespaces = namespaces({ roles: { operator: 'fairway-member' } });

    expect(await remappedNamespaces.of(userOf('a'))).toBeUndefined();

    expect(await bindings('a')).toEqual(['fairway-member: keystone:project:a:operator']);
    const previousRevision = gateway.form.server.reader.revisionOf(Namespaces);
    await remappedNamespaces.of(userOf('a'));
    expect(gateway.form.server.reader.revisionOf(Namespaces)).toBe(previousRevision);
  });

  it('loses unmapped bindings even if its name would now be generated differently', async () => {
    await namespaces({ namespaceFormat: '%n-%i' }).of(userOf('a', 'Blue Team'));

    await namespaces({ namespaceFormat: '%n-%i', roles: { operator: 'view' } }).of(userOf('a', 'Green Team'));

    expect(await bindings('blue-team-a')).toEqual(['view: keystone:project:a:operator']);
  });

  it('is kept when the project is renamed', async () => {
    const settings = { namespaceFormat: '%n-%i' };
    expect(await namespaces(settings).of(userOf('a', 'Blue Team'))).toBe('blue-team-a');

    expect(await namespaces(settings).of(userOf('a', 'Green Team'))).toBe('blue-team-a');
  });

  it('is not repeatedly recreated by a domain administrator', async () => {
    const one = namespaces();
    const outcomes = [];
    for (let index = 0; index < NEW_NAMESPACE_RATE.burst + 5; index++) {
      const labelPatch = one.of(userOf(`p${index}`, 'p', ['member'], 'evil'));
      outcomes.push(await labelPatch.catch((error: unknown) => isApiError(error, 'TooManyRequests') && 429));
    }

    expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(5);
    expect(await one.of(userOf('other', 'other', ['member'], 'good'))).toBe('other');
  });
});

describe('a deleted project', () => {
  const clock = new FakeClock();
  const cleanup = (entries = ['simulator-service', 'system']) => {
    const { keystone } = gateway;
    const system = { ...keystone.loginOf('simulator-service'), scope: { kind: 'system' } as const };
    const projects = entries.map((entry) =>
      entry === 'system' ? keystone.as('simulator-service', system).identity : keystone.as(entry).identity,
    );
    return projectCleanup({ projects, ...api(), clock, log: silentLogger });
  };
  const pass = async (reconcile: ReturnType<typeof cleanup>, times: number) => {
    for (let index = 0; index < times; index++) {
      await reconcile(CLEANUP_KEY, { signal: new AbortController().signal });
      await clock.advance(PERIOD_MS);
    }
  };
  const exists = (name: string) => {
    const namespace = gateway.form.server.reader.get(Namespaces, '', name);
    return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
  };
  let project: string;
  let resourceVersion: string;
  beforeEach(async () => {
    for (const entry of ['simulator', 'simulator-other']) await (await gateway.as(entry)).version();
    project = await gateway.keystone.as('simulator-other').session.projectId();
    resourceVersion = await gateway.keystone.as('simulator').session.projectId();
  });

  it('loses its namespace once it has been missing twice, and no other namespace is deleted', async () => {
    const reconcile = cleanup();
    await gateway.keystone.send('DELETE', `/projects/${project}`);
    await pass(reconcile, 1);
    expect(exists(project)).toBe(true);

    await pass(reconcile, 1);

    expect([exists(project), exists(resourceVersion)]).toEqual([false, true]);
  });

  it('keeps its namespace while that contains Fairway’s objects', async () => {
    await gateway.form.client.resource(cloudCredentials).create({
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'CloudCredential',
      metadata: { name: 'ours', namespace: project },
      spec: { cloud: 'simulator', secretRef: { name: 'ours' }, reclaimPolicy: 'Retain' },
    });
    await gateway.keystone.send('DELETE', `/projects/${project}`);

    await pass(cleanup(), 3);

    expect(exists(project)).toBe(true);
  });

  it('keeps a namespace that an operator created', async () => {
    const labelPatch = { metadata: { labels: { 'fairway.dev/keystone-project': null } } };
    await gateway.form.client.resource(Namespaces).patch(project, { type: 'merge', value: labelPatch });
    await gateway.keystone.send('DELETE', `/projects/${project}`);

    await pass(cleanup(), 3);

    expect(exists(project)).toBe(true);
  });

  it('is undetectable if Fairway may not list projects', async () => {
    await gateway.keystone.send('DELETE', `/projects/${project}`);

    await pass(cleanup(['simulator-service']), 3);

    expect(exists(project)).toBe(true);
  });

  it('is not assumed if Keystone still has the project that a list omits', async () => {
    const { keystone } = gateway;
    const admin = keystone.as('simulator-admin').identity;
    const allProjects = async () => (await admin.allProjects()).filter(({ id }) => id !== project);
    const partial = { allProjects, project: (id?: string) => admin.project(id) };

    await pass(projectCleanup({ projects: [partial], ...api(), clock, log: silentLogger }), 3);

    expect(exists(project)).toBe(true);
  });

  it('is detected with one list every ten minutes, however often namespaces change', async () => {
    const reconcile = cleanup(['simulator-admin']);
    const previousRevision = gateway.keystone.calls(LIST);
    for (let index = 0; index < 20; index++) await reconcile(CLEANUP_KEY, { signal: new AbortController().signal });

    expect(gateway.keystone.calls(LIST) - previousRevision).toBe(1);
  });
});
