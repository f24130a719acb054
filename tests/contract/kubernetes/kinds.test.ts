import { ALL_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { ACCEPTED_MANIFESTS, NAMESPACE } from '@fairway/apiserver/kinds/testing/kinds-corpus';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from './embedded-api-server.ts';
import { collectionPath, create, definitionOf, type Outcome, outcomeOf, tableOf } from './kinds-comparison.ts';
import { REFUSED_MANIFESTS } from './kinds-refusals.ts';
import { CHANGES, type Change, STATES } from './kinds-updates.ts';
import { findAssets, type RealApiServer, startRealApiServer } from './real-api-server.ts';

const assets = findAssets();

/**
 * The built-in kinds of the embedded server compared with those of a kube-apiserver: defaults, refusals, updates, rows of
 * `kubectl get`.
 */
describe.skipIf(assets === undefined)(
  'built-in kinds match kube-apiserver’s (skipped without KUBEBUILDER_ASSETS)',
  () => {
    let real: RealApiServer;
    let embedded: KubeClient;

    beforeAll(async () => {
      real = await startRealApiServer(assets ?? '');
      embedded = startEmbedded().client;
      await onBoth((client) => create(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }));
    });
    afterAll(async () => {
      await real?.[Symbol.asyncDispose]();
    });

    async function onBoth<T>(
      call: (client: KubeClient) => Promise<T>,
    ): Promise<{ readonly real: T; readonly embedded: T }> {
      return { real: await call(real.client), embedded: await call(embedded) };
    }

    function apply({ apiVersion, kind, name, patch, subresource }: Change): (client: KubeClient) => Promise<Outcome> {
      const object = `${collectionPath(definitionOf({ apiVersion, kind }))}/${encodeURIComponent(name)}`;
      const path = subresource === undefined ? object : `${object}/${subresource}`;
      return (client) => outcomeOf(client, 'PATCH', path, patch, 'application/merge-patch+json');
    }

    it.each(ACCEPTED_MANIFESTS.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
      'accepts %s and fills in the same defaults',
      async (_, manifest) => {
        const responses = await onBoth((client) => create(client, manifest));
        expect(responses.real).toHaveProperty('object');
        expect(responses.embedded).toEqual(responses.real);
      },
    );

    it.each(REFUSED_MANIFESTS.map(({ what, manifest }) => [what, manifest] as const))(
      'refuses %s with the same message',
      async (_, manifest) => {
        const responses = await onBoth((client) => create(client, manifest));
        expect(responses.real).toHaveProperty('code');
        expect(responses.embedded).toEqual(responses.real);
      },
    );

    it.each(CHANGES.map((change) => [`${change.what} (${change.kind} ${change.name})`, change] as const))(
      'responds the same to a change of %s',
      async (_, change) => {
        const responses = await onBoth(apply(change));
        expect(responses.embedded).toEqual(responses.real);
      },
    );

    it.each(STATES.map((state) => [state.what, state] as const))('prints %s the same way', async (_, state) => {
      await onBoth(apply(state));
      const tables = await onBoth((client) => tableOf(client, definitionOf(state), state.name));
      expect(tables.embedded).toEqual(tables.real);
    });

    // The real table of IP addresses has a column without a header, and rows for its own Services. flow-control.test.ts
    // compares the objects of priority and fairness.
    const own = new Set(['ipaddresses', 'flowschemas', 'prioritylevelconfigurations']);
    const printed = ALL_KINDS.filter(({ plural }) => !own.has(plural));
    it.each(printed.map((kind) => [`${kind.plural} of ${apiVersionOf(kind)}`, kind] as const))(
      'prints %s the same way',
      async (_, kind) => {
        const tables = await onBoth((client) => tableOf(client, kind));
        expect(tables.embedded).toEqual(tables.real);
      },
    );
  },
);
