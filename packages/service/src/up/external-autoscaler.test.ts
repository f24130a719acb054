import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { notServedYet } from './external-autoscaler.ts';

test('a request for an autoscaler config while Fairway starts is to be retried, not answered with 404', async () => {
  await expect(notServedYet(aCluster(), 3_600_000)).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    retryAfterSeconds: 1,
    message: expect.stringContaining('is starting'),
  });
});
