import { ServiceAccounts } from '@fairway/kube/kinds/resources';
import { expect, onTestFinished, test } from 'vitest';
import { TEAM, TestGateway } from '../../testing/test-gateway.ts';

test('a service account token expires after 30 days, whatever was requested', async () => {
  const gateway = await TestGateway.start();
  onTestFinished(() => gateway.close());
  await gateway.populate();
  await gateway
    .as('operator')
    .resource(ServiceAccounts)
    .create({ metadata: { name: 'robot', namespace: TEAM } });
  const path = `/api/v1/namespaces/${TEAM}/serviceaccounts/robot/token`;
  const { status, body, warnings } = await gateway.call('operator', 'POST', path, {
    spec: { expirationSeconds: 365 * 86_400 },
  });

  expect(status).toBe(201);
  expect(body).toMatchObject({ spec: { expirationSeconds: 30 * 86_400 } });
  expect(warnings).toContain('requested expiration of 31536000 seconds shortened to 2592000 seconds');
});
