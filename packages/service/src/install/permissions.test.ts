import { CLOUD_PROVIDER_CONTROLLERS } from '@fairway/cloud-provider/start';
import { CONTROLLERS } from '@fairway/controllers/start';
import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { PERMISSIONS } from './permissions.ts';

/** One line per resource, as `GROUP/RESOURCE[NAMES]: verbs`. */
function flatRules(rules: readonly PolicyRule[] = []): string[] {
  return rules
    .flatMap(({ apiGroups = [], resources = [], resourceNames, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => {
          const names = resourceNames === undefined ? '' : ` (${resourceNames.length} names)`;
          return `${group}/${resource}${names}: ${[...verbs].sort().join(' ')}`;
        }),
      ),
    )
    .sort();
}

function rulesOf(name: string): string[] {
  return flatRules(PERMISSIONS.clusterRoles.find(({ metadata }) => metadata.name === name)?.rules);
}

test('gives the controllers the permissions that they declare, and those of fairway serve itself', () => {
  expect(rulesOf('fairway-controllers')).toEqual([
    '/events: create patch',
    '/namespaces: get list watch',
    '/resourcequotas/status: update',
    '/resourcequotas: create delete get list update watch',
    '/secrets: get',
    '/users (1 names): impersonate',
    'apiextensions.k8s.io/customresourcedefinitions (9 names): get',
    'fairway.dev/cloudcredentials/status: patch',
    'fairway.dev/cloudcredentials: delete get list patch watch',
    'fairway.dev/cloudprofiles/status: patch',
    'fairway.dev/cloudprofiles: create delete get list patch watch',
    'fairway.dev/clusters/finalizers: update',
    'fairway.dev/clusters/status: patch',
    'fairway.dev/clusters: get list patch watch',
    'fairway.dev/kubernetesreleases/status: patch',
    'fairway.dev/kubernetesreleases: get list patch watch',
    'fairway.dev/machines/status: patch',
    'fairway.dev/machines: create delete get list patch watch',
    'fairway.dev/nodepools/finalizers: update',
    'fairway.dev/nodepools/status: patch',
    'fairway.dev/nodepools: delete get list patch watch',
    'fairway.dev/plans/status: patch',
    'fairway.dev/plans: get list patch watch',
    'fairway.dev/projectquotas/status: patch',
    'fairway.dev/projectquotas: get list watch',
    'fairway.dev/usagerecords/status: patch',
    'fairway.dev/usagerecords: create delete get list patch watch',
  ]);
});

test('allows Fairway to store CAs, claims, records of deleted clusters and Leases in its own namespace', () => {
  const [role] = PERMISSIONS.roles;

  expect(flatRules(role.rules)).toEqual([
    '/configmaps: create delete get list update watch',
    '/secrets: create deletecollection get list patch watch',
    'coordination.k8s.io/leases: create delete get list patch update watch',
  ]);
});

test('gives every controller its own name', () => {
  const names = [...CONTROLLERS, ...CLOUD_PROVIDER_CONTROLLERS].map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});
