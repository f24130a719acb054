import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn as logInAt, startTestCloud, TEST_PASSWORD, type TestCloud } from '@fairway/simulator/test-cloud';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logIn } from '../../auth/run.ts';
import { fakeContext } from '../../testing/fake-context.ts';

let cloud: TestCloud;
let folder: string;
beforeEach(async () => {
  cloud = await startTestCloud();
  folder = await mkdtemp(join(tmpdir(), 'fairway-auth-'));
});
afterEach(async () => {
  await cloud.cloud.close();
  await rm(folder, { recursive: true });
});

test('escapes control characters in a project name', async () => {
  const admin = await logInAt(cloud.origin, 'admin', 'admin');
  const { projectId } = await logInAt(cloud.origin, 'demo', 'demo');
  const name = 'demo\u001b]0;pwned\u0007';
  await admin.call('PATCH', `/identity/v3/projects/${projectId}`, { project: { name } });
  const context = fakeContext({
    clock: cloud.clock,
    env: {
      HOME: folder,
      OS_AUTH_URL: `${cloud.origin}/identity/v3`,
      OS_USERNAME: 'demo',
      OS_PASSWORD: TEST_PASSWORD,
      OS_USER_DOMAIN_NAME: 'Default',
      OS_PROJECT_ID: projectId,
    },
  });

  await logIn(context, {});

  expect(context.written.stderr).toContain('as demo in project demo^[]0;pwned^G, until ');
});
