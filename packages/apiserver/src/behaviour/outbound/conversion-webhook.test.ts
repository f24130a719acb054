import { systemClock } from '@fairway/base/clock';

import { expect, test } from 'vitest';
import { FakeObjectReader } from '../../auth/object-reader-fake.ts';
import { webhookConverter } from '../../outbound/conversion-webhook.ts';
import { OutboundClient } from '../../outbound/outbound-client.ts';
import { WebhookServer } from '../../outbound/testing/webhook-server.ts';
import { WebhookCaller } from '../../outbound/webhook-caller.ts';

test('rejects an object nested more deeply than any traversal allows', async () => {
  await using webhooks = await WebhookServer.open();
  const client = new OutboundClient({ clock: systemClock, policy: () => undefined });
  const reader = () => new FakeObjectReader();
  const caller = new WebhookCaller({ reader, clock: systemClock, random: () => 0, client });
  const convert = webhookConverter(caller, { url: webhooks.url('/convert'), caBundle: webhooks.caBundle });
  const thing = { apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'some' } };
  webhooks.reply('/convert', ({ request: { uid, desiredAPIVersion } }) => {
    const converted = JSON.stringify({ ...thing, apiVersion: desiredAPIVersion, spec: 'deep' });
    const deep = converted.replace('"deep"', `${'['.repeat(1000)}${']'.repeat(1000)}`);
    const response = `{"uid":"${uid}","convertedObjects":[${deep}],"result":{"status":"Success"}}`;
    return { body: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":${response}}` };
  });

  await expect(convert([thing], 'example.org/v2')).rejects.toThrow(
    'returned invalid converted object at index 0: it is nested deeper than 200 levels',
  );
  client.close();
});
