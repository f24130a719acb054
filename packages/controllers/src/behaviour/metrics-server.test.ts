import { issueServingCertificate } from '@fairway/addons/metrics-server/serving-certificate';
import { systemClock } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { APIServices, Deployments, Secrets } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { FIELD_MANAGER } from '../addons/apply-object.ts';
import { AddonScenario } from '../testing/addon-scenario.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };
const NAME = 'metrics-server';
const CERTIFICATE = 'metrics-server-serving';
const REGISTRATION = 'v1beta1.metrics.k8s.io';

/** Without the fields that an API server adds. */
function asApplied({ metadata, type }: Secret): Secret {
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels, annotations }, type } as Secret;
}

const isMissing = { code: 404 };

describe('metrics.k8s.io', () => {
  test('is registered only once its pods run and the API server can reach them', async () => {
    await using scenario = await AddonScenario.begin();
    const services = scenario.tenant.resource(APIServices);

    const before = await scenario.addon(NAME);
    await expect(services.get(REGISTRATION)).rejects.toMatchObject(isMissing);
    await scenario.work();

    const { spec } = await services.get(REGISTRATION);
    const { data } = await scenario.tenant.resource(Secrets).get(CERTIFICATE, KUBE_SYSTEM);
    expect(before).toMatchObject({ state: 'Progressing' });
    expect(spec).toMatchObject({
      group: 'metrics.k8s.io',
      caBundle: data?.['ca.crt'],
      service: { name: NAME, ...KUBE_SYSTEM, port: 443 },
    });
    expect(await scenario.addon(NAME)).toMatchObject({ state: 'Ready' });
  });

  test('is registered only once the API server can reach nodes, and waiting costs few calls', async () => {
    await using scenario = await AddonScenario.begin();
    const message = 'error trying to reach service: dial tcp 10.1.0.5:4443: i/o timeout';
    const body = JSON.stringify({
      kind: 'Status',
      status: 'Failure',
      reason: 'ServiceUnavailable',
      code: 503,
      message,
    });
    scenario.proxied = { kind: 'answer', status: 503, body };

    await scenario.work();
    const addonStatus = await scenario.addon(NAME);
    const { resourceVersion } = (await scenario.cluster()).metadata;
    scenario.forgetRequests();
    await scenario.clock.pass(5 * HOUR_MS);
    const { length: probes } = scenario.probes();
    const later = await scenario.cluster();
    await expect(scenario.tenant.resource(APIServices).get(REGISTRATION)).rejects.toMatchObject(isMissing);
    scenario.proxied = { kind: 'answer', status: 200 };
    await scenario.clock.pass(16 * MINUTE_MS);
    await scenario.work();

    expect(addonStatus).toMatchObject({
      state: 'Unreached',
      reason: 'AddonUnreached',
      message: `it is running, but its API is not registered because the API server cannot reach it: ${message}`,
    });
    expect(scenario.conditionOf(later)).toMatchObject({
      status: 'True',
      message: `metrics-server: ${addonStatus?.message}`,
    });
    expect(later.metadata.resourceVersion).toBe(resourceVersion);
    expect(probes).toBeGreaterThanOrEqual(5 * 4 - 2);
    expect(probes).toBeLessThanOrEqual(5 * 4 + 6);
    expect(scenario.writes().filter((write) => !write.includes('apiservices'))).toEqual([]);
    expect(await scenario.addon(NAME)).toMatchObject({ state: 'Ready' });
  });

  test('is not installed on control planes without a connection to nodes, which is reported but not a failure', async () => {
    await using scenario = await AddonScenario.begin({}, { reachesNodes: false });
    await scenario.work();

    expect(await scenario.addon(NAME)).toEqual({
      name: NAME,
      state: 'Unreached',
      reason: 'AddonUnreached',
      message: 'not installed: simulated control planes do not forward requests to nodes',
    });
    expect(scenario.conditionOf(await scenario.cluster())).toMatchObject({ status: 'True' });
    const { items } = await scenario.tenant.resource(Deployments).list(KUBE_SYSTEM);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['coredns']);
  });

  test('is Degraded after a minute without responses, and remains registered', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();

    await scenario.serve('False');
    await scenario.clock.pass(30_000);
    const earlyAddon = await scenario.addon(NAME);
    await scenario.clock.pass(2 * MINUTE_MS);
    const degradedAddon = await scenario.addon(NAME);
    const { metadata } = await scenario.tenant.resource(APIServices).get(REGISTRATION);
    await scenario.serve('True');
    await scenario.clock.pass(MINUTE_MS);

    expect(earlyAddon).toMatchObject({ state: 'Ready' });
    expect(degradedAddon).toMatchObject({
      state: 'Degraded',
      message:
        'its pods are running, but APIService v1beta1.metrics.k8s.io is not available; to see why: kubectl describe apiservice v1beta1.metrics.k8s.io',
    });
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(await scenario.addon(NAME)).toMatchObject({ state: 'Ready' });
  });

  test('is recreated within a minute of being deleted', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();

    await scenario.tenant.resource(APIServices).delete(REGISTRATION);
    await scenario.clock.pass(MINUTE_MS);

    await expect(scenario.tenant.resource(APIServices).get(REGISTRATION)).resolves.toBeDefined();
  });

  test('is not changed if it has a different owner, such as an adapter', async () => {
    const own = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: REGISTRATION },
      spec: {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: 'adapter', namespace: 'monitoring' },
      },
    };
    await using scenario = await AddonScenario.begin(
      {},
      { before: (tenant) => tenant.resource(APIServices).create(own) },
    );
    await scenario.work();

    expect(await scenario.addon(NAME)).toMatchObject({
      state: 'NotManaged',
      message: expect.stringContaining('the cluster has its own APIService v1beta1.metrics.k8s.io'),
    });
    await expect(scenario.tenant.resource(Deployments).get(NAME, KUBE_SYSTEM)).rejects.toMatchObject(isMissing);
  });
});

describe('the certificate of metrics-server', () => {
  test('is renewed within an hour once a third of its lifetime remains; the API server then trusts both CAs', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    const secrets = scenario.tenant.resource(Secrets);
    const issued = { ...systemClock, now: () => scenario.clock.now() - 250 * DAY_MS };
    const old = await issueServingCertificate('metrics-server.kube-system.svc', undefined, issued);
    const held = await secrets.get(CERTIFICATE, KUBE_SYSTEM);
    await secrets.apply({ ...asApplied(held), data: { ...old } }, { fieldManager: FIELD_MANAGER, force: true });

    await scenario.clock.pass(61 * MINUTE_MS);

    const after = await secrets.get(CERTIFICATE, KUBE_SYSTEM);
    const { spec } = await scenario.tenant.resource(APIServices).get(REGISTRATION);
    const decoded = (text = '') => Buffer.from(text, 'base64').toString('utf8');
    expect(after.data?.['tls.crt']).not.toBe(old['tls.crt']);
    expect(spec?.caBundle).toBe(after.data?.['ca.crt']);
    expect(decoded(spec?.caBundle)).toContain(decoded(old['ca.crt']));
    expect(await scenario.addon(NAME)).toMatchObject({ state: 'Ready' });
  });

  test('is reissued if it is missing, and the registration is updated', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();

    await scenario.tenant.resource(Secrets).delete(CERTIFICATE, KUBE_SYSTEM);
    await scenario.clock.pass(61 * MINUTE_MS);

    const { data } = await scenario.tenant.resource(Secrets).get(CERTIFICATE, KUBE_SYSTEM);
    const { spec } = await scenario.tenant.resource(APIServices).get(REGISTRATION);
    expect(spec?.caBundle).toBe(data?.['ca.crt']);
  });
});
