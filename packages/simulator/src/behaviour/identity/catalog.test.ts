import { expect, test } from 'vitest';
import { passwordRequest, startTestCloud, TEST_PASSWORD } from '../../test-cloud.ts';

test('the catalog omits missing services, also under their older types', async () => {
  const { cloud, demo } = await startTestCloud({ missingServices: ['shared-file-system', 'load-balancer'] });
  const scope = { project: { name: 'demo', domain: { id: 'default' } } };
  const { body } = await demo.call('POST', '/identity/v3/auth/tokens', passwordRequest('demo', TEST_PASSWORD, scope));
  await cloud.close();
  const catalog = body['token']?.['catalog'] as unknown as readonly { readonly type: string }[];

  expect(catalog.map(({ type }) => type)).toEqual([
    'identity',
    'compute',
    'network',
    'image',
    'placement',
    'block-storage',
    'volumev3',
    'key-manager',
  ]);
});
