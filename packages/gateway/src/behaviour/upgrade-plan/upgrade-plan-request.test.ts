import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { tooManyRequests } from '@fairway/kube/object/api-error';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, type Person, TEAM, TestGateway } from '../../testing/test-gateway.ts';
import type { PlanUpgrade } from '../../upgrade-plan/upgrade-plan-request.ts';

const PATH = `/apis/${API_VERSION}/namespaces/${TEAM}/clusters`;

describe.each(FORMS)('clusters/upgradeplan at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('new');
    await gateway.createCluster('demo');
    const status = { type: 'merge', value: { status: { version: '1.35.2' } } } as const;
    const cluster = gateway.gateway.client.resource(clusters);
    await cluster.patch('demo', status, { namespace: TEAM, subresource: 'status' });
  });
  afterAll(() => gateway.close());

  const plan: PlanUpgrade = async ({ metadata, status }, version = 'the next') => ({
    from: status?.version ?? '',
    to: version,
    time: '2026-11-23T12:00:00Z',
    steps: [],
    findings: [{ type: 'Paused', effect: 'Blocks', message: `${metadata.name} is paused` }],
  });

  async function requestPlan(person: Person, spec: object = {}, { cluster = 'demo', planner = plan, query = '' } = {}) {
    gateway.planUpgrade = planner;
    const body = { apiVersion: API_VERSION, kind: 'UpgradePlanRequest', spec };
    return gateway.call(person, 'POST', `${PATH}/${cluster}/upgradeplan${query}`, body);
  }

  test.each([
    { spec: { version: '1.36' }, query: '', to: '1.36' },
    { spec: {}, query: '', to: 'the next' },
    // It never changes anything.
    { spec: {}, query: '?dryRun=All', to: 'the next' },
  ])('returns the status for $spec and $query', async ({ spec, query, to }) => {
    const { status, body } = await requestPlan('alice', spec, { query });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      apiVersion: API_VERSION,
      kind: 'UpgradePlanRequest',
      metadata: { name: 'demo', namespace: TEAM },
      spec,
      status: { from: '1.35.2', to, findings: [{ effect: 'Blocks', message: 'demo is paused' }] },
    });
  });

  test.each<{ reason: string; person: Person; spec?: object; cluster?: string; code: number; expectedMessage: RegExp }>(
    [
      {
        reason: 'a reader',
        person: 'rita',
        code: 403,
        expectedMessage: /cannot create resource "clusters\/upgradeplan"/,
      },
      { reason: 'a stranger', person: 'nobody', code: 403, expectedMessage: /cannot create/ },
      {
        reason: 'a missing cluster',
        person: 'alice',
        cluster: 'nobody',
        code: 404,
        expectedMessage: /"nobody" not found/,
      },
      {
        reason: 'a request without a version',
        person: 'alice',
        cluster: 'new',
        code: 409,
        expectedMessage: /is not running any version yet/,
      },
      {
        reason: 'an invalid version',
        person: 'alice',
        spec: { version: 'v1' },
        code: 422,
        expectedMessage: /spec\.version: Invalid value: "v1": must be a Kubernetes version/,
      },
    ],
  )('refuses $reason: $code', async ({ person, spec, cluster, code, expectedMessage }) => {
    const { status, body } = await requestPlan(person, spec, { ...(cluster !== undefined && { cluster }) });

    expect(status).toBe(code);
    expect(body).toMatchObject({ kind: 'Status', message: expect.stringMatching(expectedMessage) });
  });

  test('reports that the planner is busy', async () => {
    const planner = () => Promise.reject(tooManyRequests('too many upgrades are being planned', 2));
    const { status, body } = await requestPlan('alice', {}, { planner });

    expect(status).toBe(429);
    expect(body).toMatchObject({
      message: expect.stringContaining('too many upgrades'),
      details: { retryAfterSeconds: 2 },
    });
  });

  describe('a dry run of a different version', () => {
    const dryRun = (planner: PlanUpgrade | undefined, query = '?dryRun=All', version = '1.36') => {
      gateway.planUpgrade = planner;
      return gateway.call('alice', 'PATCH', `${PATH}/demo${query}`, { spec: { version } });
    };

    test('returns the blockers as warnings', async () => {
      const { status, warnings } = await dryRun(plan);

      expect(status).toBe(200);
      expect(warnings).toContain('upgrade: Blocks (Paused): demo is paused');
      expect(warnings).toContain('fairway cluster upgrade demo --plan --to 1.36');
    });

    test('returns no warnings if there are no blockers', async () => {
      const { warnings } = await dryRun(async (...planCount) => ({ ...(await plan(...planCount)), findings: [] }));

      expect(warnings).not.toContain('upgrade');
    });

    test('continues without a plan if planning fails or takes too long', async () => {
      const failing = await dryRun(() => Promise.reject(tooManyRequests('too many upgrades are being planned', 2)));
      const neverEnding = await dryRun(() => new Promise(() => {}));

      expect([failing.status, neverEnding.status]).toEqual([200, 200]);
      expect(failing.warnings).toContain(
        'cannot determine the effects of the upgrade: too many upgrades are being planned',
      );
      expect(neverEnding.warnings).toContain('take longer to determine');
    });

    test('is planned only in these cases', async () => {
      let planCount = 0;
      const counting: PlanUpgrade = (...of) => {
        planCount++;
        return plan(...of);
      };
      await dryRun(counting, '');
      await dryRun(counting);

      expect(planCount).toBe(0);
    });
  });

  test('fails before the controllers run', async () => {
    gateway.planUpgrade = undefined;
    const body = { apiVersion: API_VERSION, kind: 'UpgradePlanRequest', spec: {} };

    expect(await gateway.call('alice', 'POST', `${PATH}/demo/upgradeplan`, body)).toMatchObject({ status: 503 });
  });
});
