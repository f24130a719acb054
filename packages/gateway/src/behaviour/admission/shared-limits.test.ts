import { clusters } from '@fairway/api/kinds/cluster';
import { type PlanSpec, plans } from '@fairway/api/kinds/plan';
import { copyPatch } from '@fairway/api/limits/copied-limits';
import { aPlan } from '@fairway/api/testing/objects';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

describe.each(FORMS)('%s gateway: limits that plans share', (form) => {
  let gateway: TestGateway;
  const operated = () => gateway.as('operator').resource(plans);
  const create = (name: string, spec: Partial<PlanSpec>) => operated().create(aPlan(spec, { name }));
  const change = (name: string, spec: object) => operated().patch(name, { type: 'merge', value: { spec } });
  /** What the plan controller, which does not run here, writes next. */
  const nextPatch = async (name: string) => {
    const value = copyPatch(await operated().get(name), await operated().get('base'));
    if (value === undefined) throw new Error('nothing to copy');
    return value;
  };
  const write = (name: string, value: object) =>
    gateway.gateway.client.resource(plans).patch(name, { type: 'merge', value });
  const copy = async (name: string) => write(name, await nextPatch(name));

  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await create('base', { kubernetes: { newest: '1.35' } });
    await create('gold', { limitsFrom: 'base' });
  });
  afterAll(() => gateway.close());

  test('accepts no clusters of a plan before its limits are copied, and then keeps to them', async () => {
    const early = await refusal(gateway.createCluster('early', { plan: 'gold' }));
    expect(early).toMatchObject({ code: 422 });
    expect(early.message).toContain('spec.limitsFrom: the limits of plan "base" are not copied yet');

    expect((await copy('gold')).spec.kubernetes).toEqual({ newest: '1.35' });

    const refused = await refusal(gateway.createCluster('newer', { plan: 'gold', version: '1.36' }));
    expect(refused.message).toContain('is newer than 1.35, the newest version of plan "gold"');
    await gateway.createCluster('demo', { plan: 'gold', version: '1.35' });
  });

  test('refuses a value that contradicts the copied one', async () => {
    await create('silver', { limitsFrom: 'base' });
    await copy('silver');

    const refused = await refusal(change('silver', { kubernetes: { newest: '1.36' } }));

    expect(refused).toMatchObject({ code: 422 });
    expect(refused.message).toContain(
      'spec.kubernetes.newest: Invalid value: "1.36": plan "base" states "1.35": it is copied from there (spec.limitsFrom): remove it here, or change it in plan "base"',
    );
    expect((await change('silver', { maxNodes: 5 })).spec).toMatchObject({
      kubernetes: { newest: '1.35' },
      maxNodes: 5,
    });
  });

  test('does not refuse limits that a controller copies from an outdated cache', async () => {
    await create('bronze', { limitsFrom: 'base' });
    await copy('bronze');
    await change('base', { kubernetes: { newest: '1.34' } });
    const outdated = await nextPatch('bronze');
    await change('base', { kubernetes: { newest: '1.35' } });

    expect((await write('bronze', outdated)).spec.kubernetes).toEqual({ newest: '1.34' });
    expect((await copy('bronze')).spec.kubernetes).toEqual({ newest: '1.35' });
  });

  test('refuses to delete a plan from which others take their limits, and to give it a base', async () => {
    const deletion = await refusal(operated().delete('base'));
    const chain = await refusal(change('base', { limitsFrom: 'free' }));
    const second = await refusal(create('second', { limitsFrom: 'gold' }));

    expect(deletion).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(deletion.message).toMatch(
      /take their limits from it \(.*gold.*\): change their spec\.limitsFrom, or delete them first/,
    );
    expect(chain.message).toContain('a plan whose limits others share must state them itself');
    expect(second.message).toContain(
      'the plan has limitsFrom itself: name a plan that states its own limits, such as "base"',
    );
  });

  test('lets an operator delete it when no other plan names it', async () => {
    const { items } = await gateway.as('operator').resource(clusters).list({ namespace: TEAM });
    for (const { metadata } of items) {
      await gateway
        .as('operator')
        .resource(clusters)
        .delete(metadata.name ?? '', { namespace: TEAM });
    }
    for (const { metadata, spec } of (await operated().list()).items) {
      if (spec.limitsFrom === 'base') await change(metadata.name ?? '', { limitsFrom: null });
    }

    await operated().delete('base');

    await expect(operated().get('base')).rejects.toMatchObject({ code: 404 });
  });
});
