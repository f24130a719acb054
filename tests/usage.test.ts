import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type UsageInterval, usageRecords } from '@fairway/api/kinds/usage-record';
import { systemClock } from '@fairway/base/clock';
import { runWith } from '@fairway/cli/command/run-program';
import { fakeContext } from '@fairway/cli/testing/fake-context';
import { Services } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { cloudTimeMs } from '@fairway/openstack/types/cloud-time';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { TenantScenario } from './main-job/tenant-scenario.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };

/** A simulated and a real cloud report when a resource existed, to the second. */
describe.each(JOB_TARGETS)('usage on $name', (target) => {
  describe.skipIf(target.isMissing)('a cluster with a node and a load balancer', () => {
    let scenario: TenantScenario;
    let isEnded = false;
    beforeAll(async () => {
      scenario = await TenantScenario.begin(target, 'used', 1);
    });
    afterAll(async () => {
      if (!isEnded) await scenario?.end();
    });

    /** Resolves with the intervals of the cluster's record once they match. */
    async function intervals(check: (all: readonly UsageInterval[]) => boolean): Promise<readonly UsageInterval[]> {
      const predicate = (status: { readonly intervals?: readonly UsageInterval[] } | undefined) =>
        check(status?.intervals ?? []);
      const records = scenario.fairway.api.resource(usageRecords);
      const [record] = await eventually(records, { namespace }, ([each]) => predicate(each?.status), waitOptions);
      return record?.status?.intervals ?? [];
    }

    const of = (all: readonly UsageInterval[], resource: string) => all.filter((each) => each.resource === resource);

    it('begins at the time the cloud launched the server', async () => {
      const [node] = of(await intervals((all) => of(all, 'Node').length === 1), 'Node');
      const [machine] = (await scenario.fairway.api.resource(machines).list({ namespace })).items;
      const server = await scenario.fairway.member.compute.servers.get(machine?.status?.serverID ?? '');
      const launchedMs = cloudTimeMs(server['OS-SRV-USG:launched_at']) ?? 0;

      expect(node).toMatchObject({
        id: server.id,
        type: 'original_name' in server.flavor ? server.flavor.original_name : '',
      });
      expect(Math.abs(Date.parse(node?.startTime ?? '') - launchedMs)).toBeLessThan(1_000);
    });

    it('covers load balancers and their floating IPs for as long as they exist', async () => {
      const spec = { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80 }] };
      const metadata = { name: 'web', namespace: 'default' };
      await scenario.tenant.resource(Services).create({ metadata, spec });
      const isRunning = (all: readonly UsageInterval[], resource: string) =>
        of(all, resource).some(({ endTime }) => endTime === undefined);
      const running = await intervals((all) => isRunning(all, 'LoadBalancer') && isRunning(all, 'FloatingIP'));
      await scenario.tenant.resource(Services).delete('web', { namespace: 'default' });
      const ended = await intervals((all) => !isRunning(all, 'LoadBalancer') && !isRunning(all, 'FloatingIP'));

      expect(of(running, 'LoadBalancer')).toHaveLength(1);
      for (const each of [...of(ended, 'LoadBalancer'), ...of(ended, 'FloatingIP')]) {
        expect(Date.parse(each.endTime ?? '')).toBeGreaterThanOrEqual(Date.parse(each.startTime));
        expect(each.uncertainSeconds ?? 0).toBeLessThan(400);
      }
    });

    it('is reported by the command, and ends with the cluster', async () => {
      const env = { KUBECONFIG: scenario.fairway.kubeconfig };
      const report = async () => {
        const context = fakeContext({ env, cwd: '/', clock: systemClock });
        expect(await runWith(['usage', '--clusters', '-o', 'json'], context)).toBe(0);
        return JSON.parse(context.written.stdout) as {
          readonly resource: string;
          readonly cluster: string;
          readonly amount: number;
        }[];
      };
      const resources = (await report()).map(({ resource, cluster }) => `${cluster} ${resource}`);
      const { api } = scenario.fairway;
      await api.resource(clusters).delete('used', { namespace });
      await eventually(api.resource(clusters), { namespace }, (all) => all.length === 0, waitOptions);
      const { items } = await api.resource(usageRecords).list({ namespace });
      const [first, second] = [await report(), await report()];
      isEnded = true;
      await scenario.end();

      expect(resources).toEqual(['used ControlPlane', 'used Node', 'used LoadBalancer', 'used FloatingIP']);
      expect(items).toMatchObject([{ status: { summary: '', endedTime: expect.any(String) } }]);
      expect(second.map(({ amount }) => amount)).toEqual(first.map(({ amount }) => amount));
    });
  });
});
