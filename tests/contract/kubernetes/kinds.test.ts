import { ALL_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { ACCEPTED, NAMESPACE } from '@fairway/apiserver/kinds/testing/kinds-corpus';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from './embedded-api-server.ts';
import { collectionPath, create, definitionOf, type Outcome, outcomeOf, tableOf } from './kinds-comparison.ts';
import { REFUSED } from './kinds-refusals.ts';
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
      await both((client) => create(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }));
    });
    afterAll(async () => {
      await real?.[Symbol.asyncDispose]();
    });

    async function both<T>(
      ask: (client: KubeClient) => Promise<T>,
    ): Promise<{ readonly real: T; readonly embedded: T }> {
      return { real: await ask(real.client), embedded: await ask(embedded) };
    }

    function apply({ apiVersion, kind, name, patch, subresource }: Change): (client: KubeClient) => Promise<Outcome> {
      const object = `${collectionPath(definitionOf({ apiVersion, kind }))}/${encodeURIComponent(name)}`;
      const path = subresource === undefined ? object : `${object}/${subresource}`;
      return (client) => outcomeOf(client, 'PATCH', path, patch, 'application/merge-patch+json');
    }

    it.each(ACCEPTED.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
      'accepts %s and fills in the same defaults',
      async (_, manifest) => {
        const answers = await both((client) => create(client, manifest));
        expect(answers.real).toHaveProperty('object');
        expect(answers.embedded).toEqual(answers.real);
      },
    );

    it.each(REFUSED.map(({ what, manifest }) => [what, manifest] as const))(
      'refuses %s with the same message',
      async (_, manifest) => {
        const answers = await both((client) => create(client, manifest));
        expect(answers.real).toHaveProperty('code');
        expect(answers.embedded).toEqual(answers.real);
      },
    );

    it.each(CHANGES.map((change) => [`${change.what} (${change.kind} ${change.name})`, change] as const))(
      'responds equally to a change of %s',
      async (_, change) => {
        const answers = await both(apply(change));
        expect(answers.embedded).toEqual(answers.real);
      },
    );

    it.each(STATES.map((state) => [state.what, state] as const))('prints %s equally', async (_, state) => {
      await both(apply(state));
      const tables = await both((client) => tableOf(client, definitionOf(state), state.name));
      expect(tables.embedded).toEqual(tables.real);
    });

    // The real table of addresses has a column without a header, and rows for its own Services. What a server keeps of priority and fairness
    // is in flow-control.test.ts.
    const own = new Set(['ipaddresses', 'flowschemas', 'prioritylevelconfigurations']);
    const printed = ALL_KINDS.filter(({ plural }) => !own.has(plural));
    it.each(printed.map((kind) => [`${kind.plural} of ${apiVersionOf(kind)}`, kind] as const))(
      'prints %s equally',
      async (_, kind) => {
        const tables = await both((client) => tableOf(client, kind));
        expect(tables.embedded).toEqual(tables.real);
      },
    );
  },
);
