import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectSchema } from '@fairway/api/crd/object-schema';
import { KINDS } from '@fairway/api/kinds/all';
import type { Kind } from '@fairway/api/kinds/kind';
import { applyDefaults } from '@fairway/apiserver/schema/defaults';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import { systemClock } from '@fairway/base/clock';
import { TestGateway } from '@fairway/gateway/testing/test-gateway';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretsEncryption } from '../../up/encryption.ts';
import { Home } from '../../up/home.ts';

const FIXTURES = join(import.meta.dirname, '../../../../../tests/fixtures/releases');
const RELEASES = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

type Spec = Readonly<Record<string, unknown>>;

/** For each kind, a change to its spec that no rule rejects. */
const CHANGES: Readonly<Record<string, (spec: Spec) => Spec>> = {
  Cluster: ({ updatePolicy }) => ({ updatePolicy: updatePolicy === 'NeverUpdate' ? 'AlwaysUpdate' : 'NeverUpdate' }),
  NodePool: () => ({ template: { metadata: { annotations: { 'example.org/changed': 'yes' } } } }),
  Machine: ({ floatingIP }) => ({ floatingIP: floatingIP !== true }),
  CloudCredential: ({ reclaimPolicy }) => ({ reclaimPolicy: reclaimPolicy === 'Delete' ? 'Retain' : 'Delete' }),
  Plan: () => ({ description: 'changed' }),
  KubernetesRelease: () => ({ source: 'changed' }),
};

function pathOf({ metadata }: KubeObject) {
  return metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
}

/** Values that no default sets and that controllers require. */
function schemaErrors(kind: Kind, object: KubeObject): string[] {
  const { spec, status } = object as KubeObject & { spec?: unknown; status?: unknown };
  const results = [kind.spec.safeParse(spec), ...(status === undefined ? [] : [kind.status?.safeParse(status)])];
  const issues = results.flatMap((result) => (result?.success === false ? result.error.issues : []));
  return issues
    .filter(({ code }) => code === 'invalid_type')
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** The database of an earlier release, served by the current API. */
describe.each(RELEASES)('objects stored by Fairway %s', (release) => {
  let folder: string;
  let database: SqliteDatabase;
  let gateway: TestGateway;
  const all: { readonly kind: Kind; readonly object: KubeObject }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-stored-'));
    execFileSync('tar', ['-xzf', join(FIXTURES, release, 'home.tar.gz'), '-C', folder]);
    const home = new Home(join(folder, 'home'));
    database = SqliteDatabase.open(home.database, { codec: secretsEncryption(home, systemClock) });
    gateway = await TestGateway.start('embedded', database.store('fairway'), 1);
    const value = { metadata: { annotations: { 'fairway.dev/cloud': 'simulator' } } };
    await gateway.as('operator').resource(Namespaces).patch('default', { type: 'merge', value });
    for (const kind of KINDS) {
      const { items } = await gateway.as('operator').resource<KubeObject>(kind).list();
      for (const object of items) all.push({ kind, object });
    }
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The errors of an action on each object, by the object's name. */
  async function failuresOf(apply: (kind: Kind, object: KubeObject) => Promise<unknown>): Promise<string[]> {
    const failures: string[] = [];
    for (const { kind, object } of all) {
      const name = `${kind.kind} ${object.metadata.name}`;
      await apply(kind, object).catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
    }
    return failures;
  }

  it('are served completely, with the defaults of this release', () => {
    const stored = JSON.parse(readFileSync(join(FIXTURES, release, 'objects.json'), 'utf8')) as readonly KubeObject[];
    const names = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const served = all.map(({ kind, object }) => ({ ...object, kind: kind.kind }));
    expect(names(served)).toEqual(expect.arrayContaining(names(stored)));
    for (const { kind, object } of all) {
      const defaulted = structuredClone(object);
      applyDefaults(defaulted, objectSchema(kind), new Map());
      expect(object, `${kind.kind} ${object.metadata.name}`).toEqual(defaulted);
      expect(schemaErrors(kind, object), `${kind.kind} ${object.metadata.name}`).toEqual([]);
    }
  });

  it('can be labelled', async () => {
    const value = { metadata: { labels: { 'example.org/release': release } } };
    const failures = await failuresOf((kind, object) =>
      gateway
        .as('operator')
        .resource<KubeObject>(kind)
        .patch(object.metadata.name ?? '', { type: 'merge', value }, pathOf(object)),
    );
    expect(failures).toEqual([]);
  });

  it('can have their status updated', async () => {
    const failures = await failuresOf((kind, object) => {
      const value = { status: { observedGeneration: object.metadata.generation ?? 1 } };
      const options = { ...pathOf(object), subresource: 'status' };
      const client = gateway.gateway.client.resource<KubeObject>(kind);
      return client.patch(object.metadata.name ?? '', { type: 'merge', value }, options);
    });
    expect(failures).toEqual([]);
  });

  it('can be changed if no rule rejects the change', async () => {
    const failures = await failuresOf((kind, object) => {
      const spec = CHANGES[kind.kind]?.((object as KubeObject & { spec: Spec }).spec);
      const client = gateway.as('operator').resource<KubeObject>(kind);
      return client.patch(object.metadata.name ?? '', { type: 'merge', value: { spec } }, pathOf(object));
    });
    expect(failures).toEqual([]);
  });

  it('can be scaled down', async () => {
    const failures = await failuresOf(async (kind, object) => {
      if (kind.kind !== 'NodePool') return;
      const { minReplicas } = (object as KubeObject & { spec: { minReplicas: number } }).spec;
      const path = `/apis/fairway.dev/v1alpha1/namespaces/default/nodepools/${object.metadata.name}/scale`;
      const { status, body } = await gateway.call('operator', 'PATCH', path, { spec: { replicas: minReplicas } });
      if (status !== 200) throw new Error(JSON.stringify(body));
    });
    expect(failures).toEqual([]);
  });

  it('can be deleted, if referenced objects are deleted last', async () => {
    const order = ['Machine', 'NodePool', 'Cluster', 'CloudCredential', 'KubernetesRelease', 'Plan'];
    all.sort((a, b) => order.indexOf(a.kind.kind) - order.indexOf(b.kind.kind));
    const failures = await failuresOf(async (kind, object) => {
      const name = object.metadata.name ?? '';
      await gateway.as('operator').resource<KubeObject>(kind).delete(name, pathOf(object));
      if ((object.metadata.finalizers ?? []).length === 0) return;
      // The controller does this after deleting all its resources.
      const value = { metadata: { finalizers: null } };
      await gateway.gateway.client.resource<KubeObject>(kind).patch(name, { type: 'merge', value }, pathOf(object));
    });
    expect(failures).toEqual([]);
    for (const kind of KINDS) {
      const { items } = await gateway.as('operator').resource<KubeObject>(kind).list();
      expect(items, `objects of ${kind.kind}`).toEqual([]);
    }
  });
});
