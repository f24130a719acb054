import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { ServiceApi } from '@fairway/openstack/service-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROL_PLANES } from './clients/control-planes.ts';
import { hasKubectl, type Kubectl } from './clients/kubectl.ts';
import { KeystoneCluster } from './keystone/keystone-cluster.ts';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { PROJECT, run } from './session/running-fairway.ts';

const FORGED = `gAAAAA${'x'.repeat(180)}`;
const UNAUTHORIZED = 'error: You must be logged in to the server (Unauthorized)\n';
const WHOAMI = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'];

const review = (token: string) =>
  JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } });

/** With a real Keystone, one kind of control plane suffices: any available one that connects over the network. */
const controlPlanesOn = (cloud: string) =>
  cloud === 'the simulator' ? CONTROL_PLANES : CONTROL_PLANES.filter(({ isMissing }) => !isMissing).slice(-1);

describe.each(JOB_TARGETS)('Keystone users on $name', ({ name: target, isMissing: isCloudMissing, open }) => {
  describe.each(controlPlanesOn(target))(
    'using the control plane $plane',
    ({ controlPlane, isMissing: isControlPlaneMissing }) => {
      describe.skipIf(isCloudMissing || isControlPlaneMissing || !hasKubectl)('using kubectl', () => {
        const name = `keystone-${controlPlane}`;
        let job: JobCloud;
        let cluster: KeystoneCluster;
        let cloud: OpenStackClient;
        let member: Kubectl;
        let reader: Kubectl;
        let other: Kubectl;

        const tokenOf = async (entry: string) => (await cluster.fairway.cloud(entry).session.token()).id;
        const kubectlOf = async (entry: string) => cluster.by(await tokenOf(entry));
        /** What the tenant's API server reports about a token to any client that may request it. */
        const reviewed = async (token: string) => {
          const file = `${member.kubeconfig}.review`;
          await writeFile(file, review(token));
          const { status } = (await member.json('create', '-f', file)) as { status: Record<string, unknown> };
          return status;
        };

        beforeAll(async () => {
          job = await open();
          cluster = await KeystoneCluster.start(job, controlPlane, name);
          cloud = cluster.fairway.cloud(job.member);
          [member, reader, other] = [
            await kubectlOf(job.member),
            await kubectlOf(job.reader),
            await kubectlOf(job.other),
          ];
        });
        afterAll(async () => {
          await cluster?.close();
          await job?.close();
        });

        it('a member of the cluster’s project administers it, under their ID', async () => {
          const { token } = await cloud.session.token();

          await expect.poll(() => member.run(...WHOAMI)).toMatchObject({ stdout: `keystone:${token.user.id}` });
          await member.ok('create', 'namespace', 'web');
          await member.ok('create', 'clusterrole', 'ours', '--verb=get', '--resource=nodes');
        });

        it('a reader can only read', async () => {
          // A new cluster aggregates `view` shortly after it becomes ready.
          await expect.poll(() => reader.run('get', 'pods', '--all-namespaces')).toMatchObject({ code: 0 });
          for (const attempt of [
            ['get', 'secrets', '--namespace=web'],
            ['create', 'namespace', 'readers'],
            ['delete', 'namespace', 'web'],
          ]) {
            expect((await reader.run(...attempt)).stderr).toContain('Forbidden');
          }
        });

        it('a member of another project is unauthenticated, like a user with a forged token', async () => {
          for (const otherUser of [other, await cluster.by(FORGED), await cluster.by('not-even-a-token')]) {
            expect(await otherUser.run('get', 'namespaces')).toMatchObject({ code: 1, stderr: UNAUTHORIZED });
          }
          expect(await reviewed(await tokenOf(job.other))).toEqual(await reviewed(FORGED));
          expect(await reviewed(await tokenOf(job.reader))).toMatchObject({ authenticated: true });
        });

        it('other clients keep their access: certificates and service accounts', async () => {
          const admin = await cluster.admin();
          const tokenRequests = cluster.fairway.keystone.calls('/auth/tokens');
          await member.ok('create', 'serviceaccount', 'ci', '--namespace=web');
          const account = await cluster.by((await member.ok('create', 'token', 'ci', '--namespace=web')).trim());

          await admin.ok('get', 'secrets', '--all-namespaces');
          expect(await account.ok(...WHOAMI)).toBe('system:serviceaccount:web:ci');
          expect(cluster.fairway.keystone.calls('/auth/tokens') - tokenRequests).toBeLessThanOrEqual(1);
        });

        it('a kubeconfig that contains no secrets signs in automatically', async () => {
          const { kubeconfig } = cluster.fairway;
          const env = {
            PATH: `${join(PROJECT, 'node_modules/.bin')}:${process.env['PATH']}`,
            OS_CLIENT_CONFIG_FILE: job.cloudsYaml,
            XDG_CACHE_HOME: `${member.kubeconfig}.cache`,
          };
          const args = ['--kubeconfig', kubeconfig, 'kubeconfig', name, '--exec', '--cloud', job.member];
          const { stdout, stderr } = await run('fairway', args, env);
          expect(stderr).toBe('');
          expect(stdout).not.toMatch(/token:|client-key|gAAAAA/);
          const file = `${member.kubeconfig}.exec`;
          await writeFile(file, stdout);

          const result = await run(member.program, ['--kubeconfig', file, ...WHOAMI], env);

          expect(result).toMatchObject({ stdout: await member.ok(...WHOAMI) });
        });

        it('a revoked token expires within half a minute', async () => {
          const { id } = await cluster.fairway.cloud(job.member).session.token();
          const tokenHolder = await cluster.by(id);
          await tokenHolder.ok('get', 'namespaces');
          await new ServiceApi(cloud.session, 'identity').send('DELETE', '/auth/tokens', {
            headers: { 'x-subject-token': id },
          });

          await expect
            .poll(() => tokenHolder.run('get', 'namespaces'), { interval: 1_000 })
            .toMatchObject({ stderr: UNAUTHORIZED });
          await member.ok('get', 'namespaces');
        });

        it('authenticated users keep access while Keystone is down, and other users do not get any', async () => {
          const late = await kubectlOf(job.member);
          await member.ok('get', 'namespaces');
          cluster.fairway.keystone.isUnreachable = true;
          const refused = await late.run('get', 'namespaces');
          const known = await member.run('get', 'namespaces');
          cluster.fairway.keystone.isUnreachable = false;

          expect(refused).toMatchObject({ code: 1, stderr: UNAUTHORIZED });
          expect(known).toMatchObject({ code: 0 });
          await expect.poll(() => late.run('get', 'namespaces'), { interval: 1_000 }).toMatchObject({ code: 0 });
        });

        it('another project gets the roles that the cluster grants, immediately', async () => {
          const projects = [
            await cloud.session.projectId(),
            await cluster.fairway.cloud(job.other).session.projectId(),
          ];
          await cluster.setKeystone({ projects, roles: { member: 'view', reader: 'view' } });

          await expect
            .poll(() => other.run('get', 'pods', '--namespace=web'), { interval: 1_000 })
            .toMatchObject({ code: 0 });
          expect((await other.run('create', 'namespace', 'theirs')).stderr).toContain('Forbidden');
          await expect
            .poll(() => member.run('create', 'namespace', 'more'), { interval: 1_000 })
            .toMatchObject({ stderr: expect.stringContaining('Forbidden') });
        });

        it('a policy of k8s-keystone-auth grants exactly its permissions', async () => {
          const projects = [await cloud.session.projectId()];
          const users = { projects, roles: ['reader'] };
          await cluster.setKeystone({
            policy: JSON.stringify([
              { users, resource_permissions: { "!kube-system/['configmaps']": ['get', 'list'] } },
            ]),
          });

          await expect
            .poll(() => reader.run('get', 'configmaps', '--namespace=web'), { interval: 1_000 })
            .toMatchObject({ code: 0 });
          for (const attempt of [
            ['get', 'configmaps', '--namespace=kube-system'],
            ['get', 'configmaps', '--all-namespaces'],
            ['get', 'pods', '--namespace=web'],
            ['create', 'configmap', 'readers', '--namespace=web'],
          ]) {
            await expect
              .poll(() => reader.run(...attempt), { interval: 1_000 })
              .toMatchObject({ stderr: expect.stringMatching(/forbidden/i) });
          }
        });

        it('all Keystone access ends when the cluster no longer allows it, and no role bindings are left', async () => {
          await cluster.setKeystone(null);

          await expect
            .poll(() => reader.run('get', 'pods'), { interval: 1_000 })
            .toMatchObject({ stderr: UNAUTHORIZED });
          const bindings = await (await cluster.admin()).ok('get', 'clusterrolebindings', '-o', 'name');
          expect(bindings).toContain('fairway:');
          expect(bindings).not.toContain('keystone');
        });
      });
    },
  );
});
