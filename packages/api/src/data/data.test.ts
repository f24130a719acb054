import { describe, expect, it } from 'vitest';
import { findOverlaps } from '../domain/address-plan.ts';
import { resolveVersion } from '../domain/versions.ts';
import { kubernetesReleases } from '../kinds/kubernetes-release.ts';
import { plans } from '../kinds/plan.ts';
import { parseObject } from '../validation/schema-errors.ts';
import { SHIPPED_RELEASES } from './kubernetes-releases.ts';
import { SHIPPED_PLANS } from './plans.ts';

describe.each(SHIPPED_PLANS.map((plan) => [plan.metadata.name, plan] as const))('plan %s', (_, plan) => {
  it('is valid as shipped', () => {
    expect(parseObject(plans, plan)).toEqual({ ok: true, object: plan });
  });

  it('has ranges that do not overlap and are large enough for its nodes', () => {
    const { podCIDR, serviceCIDR, nodesCIDR, reservedCIDRs } = plan.spec.network;
    const ranges = [podCIDR, serviceCIDR, nodesCIDR, ...reservedCIDRs].map((cidr) => ({ name: cidr, cidr }));
    expect(findOverlaps(ranges)).toEqual([]);
    expect(2 ** (24 - Number(podCIDR.split('/')[1]))).toBeGreaterThanOrEqual(plan.spec.maxNodes);
    expect(2 ** (32 - Number(nodesCIDR.split('/')[1]))).toBeGreaterThan(2 * plan.spec.maxNodes);
  });

  it('allows its own defaults', () => {
    expect(plan.spec.cni.allowed).toContain(plan.spec.cni.default);
    expect(plan.spec.kubeProxy.allowed).toContain(plan.spec.kubeProxy.default);
  });
});

describe('values copied from OVHcloud', () => {
  it.each([
    ['free', 100, '10.2.0.0/16', 'canal', 'InPlace', 'Reinstall', '99.5'],
    ['standard', 500, '10.240.0.0/13', 'cilium', 'Rolling', 'Replace', '99.99'],
  ])('%s', (name, maxNodes, podCIDR, cni, upgradeStrategy, healing, target) => {
    const plan = SHIPPED_PLANS.find(({ metadata }) => metadata.name === name);
    expect(plan?.spec).toMatchObject({
      maxNodes,
      maxPodsPerNode: 110,
      cni: { default: cni },
      network: { podCIDR, serviceCIDR: '10.3.0.0/16' },
      upgradeStrategy,
      healing: { strategy: healing, notReadyTimeout: '10m' },
      availability: { target },
    });
  });
});

describe('shipped releases', () => {
  it.each(SHIPPED_RELEASES.map((release) => [release.spec.minor, release] as const))(
    '%s is valid',
    (minor, release) => {
      expect(parseObject(kubernetesReleases, release)).toEqual({ ok: true, object: release });
      expect(release.spec.patches[0]).toMatchObject({ version: `${minor}.0`, released: release.spec.released });
      const days = release.spec.patches.map(({ released }) => released ?? '');
      expect(days).toEqual([...days].sort());
      const patches = release.spec.patches.map(({ version }) => version);
      expect(patches).toEqual(days.map((_, patch) => `${minor}.${patch}`));
    },
  );

  it('follow one another without a gap', () => {
    expect(SHIPPED_RELEASES.map(({ spec }) => spec.minor)).toEqual(['1.31', '1.32', '1.33', '1.34', '1.35', '1.36']);
  });

  it('resolve to the newest patch if no version is requested', () => {
    expect(resolveVersion(undefined, SHIPPED_RELEASES, Date.UTC(2026, 10, 22))).toMatchObject({
      ok: true,
      version: { version: '1.36.4' },
    });
  });
});
