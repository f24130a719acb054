import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { rejectWhileStarting } from './external-autoscaler.ts';

test('a request for an autoscaler config during the start of Fairway returns a retryable error instead of 404', async () => {
  await expect(rejectWhileStarting(aCluster(), 3_600_000)).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    retryAfterSeconds: 1,
    message: expect.stringContaining('is starting'),
  });
});
