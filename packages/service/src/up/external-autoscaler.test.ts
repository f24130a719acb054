import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { notServedYet } from './external-autoscaler.ts';

test('who asks for an autoscaler while Fairway starts is to ask again, and not told that there is none', async () => {
  await expect(notServedYet(aCluster(), 3_600_000)).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    retryAfterSeconds: 1,
    message: expect.stringContaining('is starting'),
  });
});
