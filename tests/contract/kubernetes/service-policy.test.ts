import { limitPolicies } from '@fairway/addons/limits/objects';
import { someFacts } from '@fairway/addons/testing/facts';
import type { RefusedAnnotation } from '@fairway/api/kinds/plan-services';
import { MAX_ANNOTATIONS, MAX_COMPARED_CHARACTERS } from '@fairway/api/limits/service-limits';
import { applyObject } from '@fairway/controllers/addons/apply-object';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services, ValidatingAdmissionPolicies } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { describe, expect, it, vi } from 'vitest';
import { describeServers } from './targets.ts';

const { signal } = new AbortController();
const LAST_KEY = 'last.example.org/refused';
const VALUED_KEY = 'valued.example.org/refused';
const MAX_ENTRIES = 50;
const MAX_VALUES = 20;
/** Kubernetes' limit for all annotations of an object, less their keys and other annotations. */
const MAX_VALUE_BYTES = 200 * 1024;

/** The limits that cost most to evaluate, before the limit that decides. */
const COSTLY: readonly { readonly reason: string; readonly entry: RefusedAnnotation }[] = [
  { reason: 'patterns that almost match each key', entry: { key: `k*${'-'.repeat(300)}` } },
  {
    reason: 'values that almost match',
    entry: { key: VALUED_KEY, values: Array.from({ length: MAX_VALUES }, (_, at) => `x*${'-'.repeat(120)}${at}`) },
  },
];

function aBalancer(annotations: Record<string, string>): Service {
  return {
    metadata: { name: 'web', namespace: 'default', annotations },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  };
}

function someAnnotations(count: number): Record<string, string> {
  const value = 'x'.repeat(count > MAX_ANNOTATIONS ? 0 : Math.floor(MAX_VALUE_BYTES / count));
  const annotations = Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`k-${at}`, value]));
  return { ...annotations, [VALUED_KEY]: 'x'.repeat(MAX_COMPARED_CHARACTERS) };
}

describeServers('a plan’s rules for Services', (server, target) => {
  // Fairway has no add-ons for earlier releases.
  const hasAddons = target.minor >= 31;

  const refusalOf = async (annotations: Record<string, string>): Promise<string> => {
    try {
      await server().client.resource(Services).create(aBalancer(annotations), { dryRun: true });
      return '';
    } catch (error) {
      if (!isApiError(error, 'Invalid')) throw error;
      return error.message;
    }
  };

  const enforce = async (entry: RefusedAnnotation) => {
    const { storage, today } = someFacts();
    const lastKey = `${LAST_KEY}-${entry.key.slice(0, 1)}`;
    const entries = Array<RefusedAnnotation>(MAX_ENTRIES - 1).fill(entry);
    const services = { refusedAnnotations: [...entries, { key: `${lastKey}*` }] };
    for (const object of limitPolicies({ limits: { services }, storage, today })) {
      await applyObject(server().client, object, { isForced: false, signal });
    }
    // A policy takes effect shortly after it is written.
    await vi.waitUntil(async () => (await refusalOf({ [lastKey]: '' })) !== '', { timeout: 300_000, interval: 100 });
    return lastKey;
  };

  describe.runIf(hasAddons)('are evaluated within Kubernetes’ limit of cost', () => {
    it.each(COSTLY)('for $reason', async ({ entry }) => {
      const lastKey = await enforce(entry);
      const refusals = async (count: number) => [
        await refusalOf(someAnnotations(count)),
        await refusalOf({ ...someAnnotations(count - 1), [lastKey]: '' }),
      ];
      const isRefused = `metadata.annotations: ${lastKey}* is not allowed`;

      expect(await refusals(2)).toEqual(['', expect.stringContaining(isRefused)]);
      expect(await refusals(MAX_ANNOTATIONS)).toEqual(['', expect.stringContaining(isRefused)]);
      const hasTooMany = expect.stringContaining(`have at most ${MAX_ANNOTATIONS} annotations`);
      expect(await refusals(MAX_ANNOTATIONS + 1)).toEqual([hasTooMany, hasTooMany]);
      expect(await refusals(20_000)).toEqual([hasTooMany, hasTooMany]);
    });
  });

  it.runIf(hasAddons)('pass the type check', async () => {
    const policies = server().client.resource(ValidatingAdmissionPolicies);

    const status = await vi.waitFor(
      async () => {
        const policy = await policies.get('limits.fairway.dev');
        expect(policy.status?.observedGeneration).toBe(policy.metadata.generation);
        return policy.status;
      },
      { timeout: 300_000 },
    );

    expect(status?.typeChecking?.expressionWarnings ?? []).toEqual([]);
  });
});
