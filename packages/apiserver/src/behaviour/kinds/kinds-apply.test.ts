import { cloneJson, isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import type { Json } from '@fairway/kube/object/meta';
import { beforeEach, describe, expect, test } from 'vitest';
import { ALL_KINDS } from '../../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../../kinds/definitions.ts';
import { ACCEPTED_MANIFESTS, type Manifest, NAMESPACE, RECENT_MANIFESTS } from '../../kinds/testing/kinds-corpus.ts';
import { collectionOf, serverOfKinds } from '../../kinds/testing/kinds-server.ts';
import { memberSchema } from '../../patch/compare.ts';
import { objectSchemaOf, resolveSchema } from '../../schema/resolve.ts';
import type { Schema } from '../../schema/schema.ts';
import { keyDefaults, type Shape, shapeOf } from '../../schema/shape.ts';
import type { Reply, TestObject, TestServer } from '../../server/test-server.ts';

const definitions = builtinDefinitions();

let server: TestServer;
beforeEach(freshServer);

async function freshServer(): Promise<void> {
  server = await serverOfKinds();
  await server.namespace(NAMESPACE);
}

async function apply(manifest: Manifest, manager = 'git', query = ''): Promise<Reply<TestObject>> {
  // Each has a distinct time, so any write is visible.
  await server.clock.advance(5000);
  const path = `${collectionOf(manifest)}/${manifest.metadata.name}?fieldManager=${manager}${query}`;
  return server.call('PATCH', path, manifest, { 'content-type': 'application/apply-patch+yaml' });
}

/** Two items with the same key cannot be created by an apply, but can be written in other ways. */
const APPLICABLE_MANIFESTS = [...ACCEPTED_MANIFESTS, ...RECENT_MANIFESTS]
  .filter(({ metadata }) => metadata.name !== 'odd')
  .map((manifest) => [`${manifest.apiVersion} ${manifest.kind} ${manifest.metadata.name}`, manifest] as const);

/** Copies of the manifest, each with one of its changeable values changed. */
function variantsOf(manifest: Manifest): { readonly what: string; readonly variant: Manifest }[] {
  const kind = ALL_KINDS.find((candidate) => candidate.kind === manifest.kind);
  const variants: { what: string; variant: Manifest }[] = [
    {
      what: 'other labels',
      variant: { ...manifest, metadata: { ...manifest.metadata, labels: { other: 'x' } } } as Manifest,
    },
  ];
  if (kind === undefined) return variants;
  forEachList(objectSchemaOf(kind.schema, definitions), manifest as unknown as Json, [], (path, shape, list) => {
    const change = (what: string, changed: readonly Json[]) => {
      const variant = cloneJson(manifest);
      let place = variant as unknown as Record<string | number, never>;
      for (const step of path.slice(0, -1)) place = place[step] as unknown as Record<string | number, never>;
      place[path.at(-1) ?? ''] = changed as never;
      variants.push({ what: `${path.join('.')} ${what}`, variant });
    };
    change('without its last item', list.slice(0, -1));
    change('in another order', list.toReversed());
    for (const [key, standard] of shape.kind === 'list-map' ? keyDefaults(shape, definitions) : []) {
      const items = list as readonly Record<string, Json>[];
      change(
        `with the default ${key}`,
        items.map((item) => ({ [key]: standard, ...item })),
      );
      change(
        `with null as ${key}`,
        items.map((item) => ({ [key]: null, ...item })),
      );
      change(
        `with nothing as ${key}`,
        items.map((item) => ({ [key]: '', ...item })),
      );
    }
  });
  return variants;
}

type ListShape = Shape & { readonly kind: 'set' | 'list-map' };

function forEachList(
  schema: Schema | undefined,
  value: Json,
  path: readonly (string | number)[],
  visit: (path: readonly (string | number)[], shape: ListShape, list: readonly Json[]) => void,
): void {
  const shape = shapeOf(schema, definitions);
  if (isJsonArray(value)) {
    if (shape.kind === 'set' || shape.kind === 'list-map') visit(path, shape, value);
    const { items } = schema === undefined ? {} : resolveSchema(schema, definitions);
    for (const [index, item] of value.entries()) forEachList(items, item, [...path, index], visit);
  } else if (isJsonObject(value)) {
    for (const name in value) forEachList(memberSchema(shape, name), value[name] as Json, [...path, name], visit);
  }
}

function contentOf({ metadata, ...fields }: TestObject) {
  const { resourceVersion: _, generation: _g, managedFields = [], ...rest } = metadata;
  const owned = managedFields.map(({ time: _t, ...entry }) => entry);
  return { ...fields, metadata: { ...rest, owned } };
}

describe.each(APPLICABLE_MANIFESTS)('%s', (_, manifest) => {
  test('is unchanged when applied repeatedly', async () => {
    const first = await apply(manifest);
    const second = await apply(manifest);
    const third = await apply(manifest);

    expect(first.status, `${first.body.message}`).toBeLessThan(300);
    expect(second.body).toEqual(first.body);
    expect(third.body).toEqual(first.body);
  });

  test('is restored when a change is applied and then undone', async () => {
    for (const { what, variant } of variantsOf(manifest)) {
      await freshServer();
      const first = await apply(manifest);
      const changed = await apply(variant);
      // Not every change is valid; a rejected one must change nothing.
      expect([200, 400, 422], `${what}: ${changed.body.message}`).toContain(changed.status);
      expect((await apply(variant)).body, `again ${what}`).toEqual(changed.body);
      const back = await apply(manifest);
      if (back.body.message?.includes('only deletion is allowed')) continue;

      // The first apply to an untracked object finds it owned by `before-first-apply`.
      const content = changed.body.metadata.managedFields === undefined ? withoutOwners : contentOf;
      expect(content(back.body), `back from ${what}`).toEqual(content(first.body));
    }
  });

  test('keeps its fields when one of two managers releases them', async () => {
    const { kind, apiVersion, metadata } = manifest;
    const first = await apply(manifest);
    const second = await apply(manifest, 'flux', '&force=true');
    const again = await apply(manifest, 'flux');
    const left = await apply({ kind, apiVersion, metadata: { name: metadata.name } });

    expect(again.body).toEqual(second.body);
    expect(withoutOwners(left.body)).toEqual(withoutOwners(first.body));
    expect(left.body.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['flux']);
  });
});

function withoutOwners(object: TestObject) {
  const { metadata, ...fields } = contentOf(object);
  const { owned: _, ...rest } = metadata;
  return { ...fields, metadata: rest };
}
