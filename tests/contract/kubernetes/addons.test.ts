import { addonsOf } from '@fairway/addons/catalogue';
import { someFacts } from '@fairway/addons/testing/facts';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { systemClock } from '@fairway/base/clock';
import { applyAddons } from '@fairway/controllers/addons/apply-addons';
import type { APIService } from '@fairway/kube/kinds/generated/types';
import {
  APIServices,
  ClusterRoleBindings,
  ConfigMaps,
  DaemonSets,
  Deployments,
  PodDisruptionBudgets,
  Secrets,
} from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const KUBE_SYSTEM = { namespace: 'kube-system' };
const { signal } = new AbortController();
const APPLIED_OUTCOME = { kind: 'applied', conflicts: [] };

describeServers('add-ons', (server, target) => {
  const version = `1.${target.minor}.2`;
  // Fairway has no add-ons for earlier releases.
  const hasAddons = target.minor >= 31;

  const applyAndObserve = async (facts: Parameters<typeof someFacts>[0] = {}, request?: string) => {
    const desiredAddons = addonsOf(someFacts({ version, ...facts }));
    const { outcomes } = await applyAddons({
      client: server().client,
      desiredAddons,
      unmanaged: new Set(),
      workingAddons: new Set(),
      request,
      clock: systemClock,
      signal,
    });
    return outcomes;
  };

  const policies = () =>
    server().client.resource<KubeObject & { spec: object }>({
      group: 'crd.projectcalico.org',
      version: 'v1',
      plural: 'globalnetworkpolicies',
      kind: 'GlobalNetworkPolicy',
      namespaced: false,
    });

  /** Fields that change with every write. */
  async function versions(): Promise<unknown[]> {
    const { client } = server();
    const configs = ['kube-proxy', 'coredns', 'fairway-addons'];
    const secret = await client.resource(Secrets).get('metrics-server-serving', KUBE_SYSTEM);
    const objects = await Promise.all([
      ...configs.map((name) => client.resource(ConfigMaps).get(name, KUBE_SYSTEM)),
      client.resource(ClusterRoleBindings).get('system:coredns'),
    ]);
    const daemonSet = await client.resource(DaemonSets).get('kube-proxy', KUBE_SYSTEM);
    return [...[secret, ...objects].map(({ metadata }) => metadata.resourceVersion), daemonSet.metadata.generation];
  }

  it.runIf(hasAddons).each(['iptables', 'ipvs', 'nftables'])(
    'are accepted with %s, and are up to date at the next check',
    async (mode) => {
      const kubeProxy = { mode, iptables: { syncPeriod: '30s' }, ipvs: { scheduler: 'lc', tcpTimeout: '15m' } };

      const first = await applyAndObserve({ kubeProxy });
      const before = await versions();
      const second = await applyAndObserve({ kubeProxy });

      expect(Object.fromEntries(first)).toEqual({
        'kube-proxy': APPLIED_OUTCOME,
        coredns: APPLIED_OUTCOME,
        'metrics-server': APPLIED_OUTCOME,
        'cinder-csi': APPLIED_OUTCOME,
        'volume-snapshots': APPLIED_OUTCOME,
      });
      expect(second).toEqual(first);
      expect(await versions()).toEqual(before);
    },
  );

  it.runIf(hasAddons)('are accepted with a pod network too, and its policies are stored as written', async () => {
    const { client } = server();
    const definitions = client.resource(CustomResourceDefinitions);
    const name = 'globalnetworkpolicies.crd.projectcalico.org';

    const first = await applyAndObserve({ podNetwork: 'canal' });
    const before = [(await definitions.get(name)).metadata.generation, ...(await versions())];
    const second = await applyAndObserve({ podNetwork: 'canal' });

    expect(first.get('canal')).toEqual(APPLIED_OUTCOME);
    expect(second).toEqual(first);
    expect([(await definitions.get(name)).metadata.generation, ...(await versions())]).toEqual(before);
    const spec = {
      order: 12.5,
      namespaceSelector: 'all()',
      ingress: [
        {
          action: 'Allow',
          protocol: 'TCP',
          destination: { ports: [80, '8000:8080'] },
          source: { nets: ['10.0.0.0/8'] },
        },
      ],
    };
    // The kind is served shortly after it is established.
    await eventually(policies(), {}, () => true);
    const created = await policies().create({ metadata: { name: 'some' }, spec });
    expect(created.spec).toEqual(spec);
    await policies().delete('some');
    await applyAndObserve();
    const daemonSets = client.resource(DaemonSets);
    for (const kept of [await definitions.get(name), await daemonSets.get('canal', KUBE_SYSTEM)]) {
      expect(kept.metadata.deletionTimestamp).toBeUndefined();
    }
    await daemonSets.delete('canal', KUBE_SYSTEM);
  });

  it.runIf(hasAddons).each(['iptables', 'none'])(
    'are accepted unchanged with Cilium and kube-proxy %s',
    async (mode) => {
      const { client } = server();
      const facts = { podNetwork: 'cilium', kubeProxy: { mode } } as const;
      const generations = async () => {
        const { metadata, spec } = await client.resource(DaemonSets).get('cilium', KUBE_SYSTEM);
        const operator = await client.resource(Deployments).get('cilium-operator', KUBE_SYSTEM);
        const config = await client.resource(ConfigMaps).get('cilium-config', KUBE_SYSTEM);
        const { appArmorProfile } = spec.template.spec?.securityContext ?? {};
        return [metadata.generation, operator.metadata.generation, config.metadata.resourceVersion, appArmorProfile];
      };

      const first = await applyAndObserve(facts);
      const before = await generations();
      const second = await applyAndObserve(facts);

      expect(first.get('cilium')).toEqual(APPLIED_OUTCOME);
      expect(second).toEqual(first);
      expect(await generations()).toEqual(before);
      expect(before).toContainEqual({ type: 'Unconfined' });
      await applyAndObserve({ kubeProxy: { mode } });
      expect(
        (await client.resource(Deployments).get('cilium-operator', KUBE_SYSTEM)).metadata.deletionTimestamp,
      ).toBeUndefined();
      await client.resource(DaemonSets).delete('cilium', KUBE_SYSTEM);
      await client.resource(Deployments).delete('cilium-operator', KUBE_SYSTEM);
      await client.resource(ConfigMaps).delete('cilium-config', KUBE_SYSTEM);
    },
  );

  it.runIf(hasAddons)('keep changes by others, apply the rest, and revert others’ changes on request', async () => {
    const deployments = server().client.resource(Deployments);
    await applyAndObserve();
    const otherManager = { ...KUBE_SYSTEM, fieldManager: 'kubectl-edit' };
    await deployments.patch('coredns', { type: 'merge', value: { spec: { replicas: 5 } } }, otherManager);
    const config = { type: 'merge' as const, value: { data: { Corefile: '.:53 {\n}\n' } } };
    await server().client.resource(ConfigMaps).patch('coredns', config, otherManager);

    const modified = await applyAndObserve({ coreDnsVersion: '1.9.9' });
    const intermediate = await deployments.get('coredns', KUBE_SYSTEM);
    const reverted = await applyAndObserve({ coreDnsVersion: '1.9.9' }, 'now');
    const after = await deployments.get('coredns', KUBE_SYSTEM);

    const managers = ['kubectl-edit'];
    expect(modified.get('coredns')).toEqual({
      kind: 'applied',
      conflicts: [
        { object: 'ConfigMap kube-system/coredns', fields: ['.data.Corefile'], managers },
        { object: 'Deployment kube-system/coredns', fields: ['.spec.replicas'], managers },
      ],
    });
    expect(intermediate.spec.replicas).toBe(5);
    expect(intermediate.spec.template.spec?.containers[0]?.image).toMatch(/:v1\.9\.9$/);
    expect(reverted.get('coredns')).toEqual(APPLIED_OUTCOME);
    expect(after.spec.replicas).toBe(2);
    await expect(applyAndObserve({ coreDnsVersion: '1.9.9' }, 'now')).resolves.toEqual(reverted);
  });

  it.runIf(hasAddons)('make the API server verify servers with the stored certificate', async () => {
    const services = server().client.resource(APIServices);
    await applyAndObserve();
    const unregistered = services.get('v1beta1.metrics.k8s.io');
    await expect(unregistered).rejects.toMatchObject({ code: 404 });
    const registration = addonsOf(someFacts({ version })).flatMap(({ aggregatedApi, objects }) =>
      objects.filter(({ name }) => name === aggregatedApi?.registration.name),
    );
    for (const { object } of registration) {
      await services.apply(object as APIService, { fieldManager: 'fairway-addons' });
    }

    const outcomes = [await applyAndObserve(), await applyAndObserve()];

    const { spec } = await services.get('v1beta1.metrics.k8s.io');
    const { data } = await server().client.resource(Secrets).get('metrics-server-serving', KUBE_SYSTEM);
    expect(outcomes.map((each) => each.get('metrics-server'))).toEqual([APPLIED_OUTCOME, APPLIED_OUTCOME]);
    expect(spec?.caBundle).toBe(data?.['ca.crt']);
    await services.delete('v1beta1.metrics.k8s.io');
  });

  it.runIf(hasAddons)('are deleted when they are no longer needed', async () => {
    const budgets = server().client.resource(PodDisruptionBudgets);
    await applyAndObserve();
    const before = (await budgets.list(KUBE_SYSTEM)).items.length;

    await applyAndObserve({ hasSeveralNodes: false, kubeProxy: { mode: 'none' } });

    const record = await server().client.resource(ConfigMaps).get('fairway-addons', KUBE_SYSTEM);
    expect([before, (await budgets.list(KUBE_SYSTEM)).items.length]).toEqual([1, 0]);
    const daemonSets = (await server().client.resource(DaemonSets).list(KUBE_SYSTEM)).items;
    expect(daemonSets.map(({ metadata }) => metadata.name)).toEqual(['csi-cinder-nodeplugin']);
    expect(record.metadata.annotations?.['applyset.kubernetes.io/contains-group-kinds']).toBe(
      'APIService.apiregistration.k8s.io,CSIDriver.storage.k8s.io,ClusterRole.rbac.authorization.k8s.io,ClusterRoleBinding.rbac.authorization.k8s.io,ConfigMap,CustomResourceDefinition.apiextensions.k8s.io,DaemonSet.apps,Deployment.apps,RoleBinding.rbac.authorization.k8s.io,Secret,Service,ServiceAccount,StorageClass.storage.k8s.io',
    );
  });
});
