import { describe, expect, test } from 'vitest';
import { discoveryView } from './discovery-view.ts';

const HOST = 'fairway.example.com';

describe('one document per path', () => {
  test('/api contains the gateway’s address, not the API server’s', () => {
    const document = {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ serverAddress: '10.0.0.1' }],
    };

    expect(discoveryView(document, HOST)).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: HOST }],
    });
  });

  test('/apis lists only groups that are forwarded', () => {
    const groups = ['apps', 'fairway.dev', 'authorization.k8s.io', 'metrics.k8s.io'].map((name) => ({ name }));

    expect(discoveryView({ kind: 'APIGroupList', groups }, HOST)).toMatchObject({
      groups: [{ name: 'fairway.dev' }, { name: 'authorization.k8s.io' }],
    });
  });

  test('/api/v1 lists only resources and verbs that are forwarded', () => {
    const document = {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [
        { name: 'namespaces', kind: 'Namespace', verbs: ['create', 'delete', 'get', 'list', 'watch'] },
        { name: 'namespaces/finalize', kind: 'Namespace', verbs: ['update'] },
        { name: 'pods', kind: 'Pod', verbs: ['get'] },
      ],
    };

    expect(discoveryView(document, HOST)).toMatchObject({
      resources: [{ name: 'namespaces', kind: 'Namespace', verbs: ['get', 'list', 'watch'] }],
    });
  });

  test('Fairway’s group is complete, including the subresources that the gateway serves itself', () => {
    const clusters = { name: 'clusters', singularName: 'cluster', namespaced: true, kind: 'Cluster', verbs: ['get'] };
    const document = { kind: 'APIResourceList', groupVersion: 'fairway.dev/v1alpha1', resources: [clusters] };

    expect(discoveryView(document, HOST)).toMatchObject({
      resources: [
        clusters,
        { name: 'clusters/kubeconfig', namespaced: true, kind: 'KubeconfigRequest', verbs: ['create'] },
        { name: 'clusters/upgradeplan', namespaced: true, kind: 'UpgradePlanRequest', verbs: ['create'] },
        { name: 'clusters/cloudresources', namespaced: true, kind: 'CloudResourcesRequest', verbs: ['create'] },
        { name: 'clusters/audit', namespaced: true, kind: 'AuditEventList', verbs: ['get'] },
        { name: 'cloudprofiles/quotas', namespaced: true, kind: 'QuotasRequest', verbs: ['create'] },
        { name: 'auditevents', namespaced: true, kind: 'AuditEvent', verbs: ['list'] },
      ],
    });
  });
});

describe('the aggregated document', () => {
  const resource = (name: string, verbs: readonly string[], subresources: readonly string[] = []) => ({
    resource: name,
    scope: 'Namespaced',
    verbs,
    ...(subresources.length > 0 && {
      subresources: subresources.map((subresource) => ({ subresource, verbs: ['get'] })),
    }),
  });

  test('lists groups in /apis', () => {
    const versions = [
      {
        version: 'v1alpha1',
        freshness: 'Current',
        resources: [
          resource('clusters', ['get'], ['status']),
          resource('cloudprofiles', ['get']),
          resource('plans', ['get']),
        ],
      },
    ];
    const items = [
      { metadata: { name: 'apps' }, versions: [{ version: 'v1', resources: [] }] },
      { metadata: { name: 'fairway.dev' }, versions },
    ];
    const view = discoveryView({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items }, HOST);

    expect(view).toMatchObject({
      items: [
        {
          metadata: { name: 'fairway.dev' },
          versions: [
            {
              freshness: 'Current',
              resources: [
                {
                  resource: 'clusters',
                  subresources: [
                    { subresource: 'status' },
                    { subresource: 'kubeconfig', responseKind: { kind: 'KubeconfigRequest' }, verbs: ['create'] },
                    { subresource: 'upgradeplan', responseKind: { kind: 'UpgradePlanRequest' }, verbs: ['create'] },
                    {
                      subresource: 'cloudresources',
                      responseKind: { kind: 'CloudResourcesRequest' },
                      verbs: ['create'],
                    },
                    { subresource: 'audit', responseKind: { kind: 'AuditEventList' }, verbs: ['get'] },
                  ],
                },
                {
                  resource: 'cloudprofiles',
                  subresources: [{ subresource: 'quotas', responseKind: { kind: 'QuotasRequest' }, verbs: ['create'] }],
                },
                { resource: 'plans' },
                { resource: 'auditevents', scope: 'Namespaced', responseKind: { kind: 'AuditEvent' }, verbs: ['list'] },
              ],
            },
          ],
        },
      ],
    });
    expect(view).toHaveProperty('items.length', 1);
  });

  test('lists core resources in /api', () => {
    const resources = [
      resource('namespaces', ['create', 'get', 'list', 'watch'], ['status']),
      resource('pods', ['get']),
    ];
    const items = [{ versions: [{ version: 'v1', resources }] }];

    expect(discoveryView({ kind: 'APIGroupDiscoveryList', items }, HOST)).toEqual({
      kind: 'APIGroupDiscoveryList',
      items: [{ versions: [{ version: 'v1', resources: [resource('namespaces', ['get', 'list', 'watch'])] }] }],
    });
  });
});

test('does not forward a response that is not a discovery document', () => {
  expect(() => discoveryView({ kind: 'PodList', items: [] }, HOST)).toThrow('APIGroupDiscoveryList');
});
