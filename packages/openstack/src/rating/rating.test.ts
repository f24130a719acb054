import { expect, test } from 'vitest';
import { OpenStackError } from '../http/openstack-error.ts';
import type { ServiceApi } from '../service-api.ts';
import { Rating } from './rating.ts';

function ratingWithResponse(status: number, message: string): Rating {
  const call = { service: 'rating', method: 'GET', template: '/dataframes', outcome: 'notDone' } as const;
  const failure = new OpenStackError({ ...call, kind: 'notFound', status, message });
  const api: Pick<ServiceApi, 'get'> = { get: () => Promise.reject(failure) };
  return new Rating(api as ServiceApi);
}

const HOUR = { begin: '2026-11-26T11:00:00Z', end: '2026-11-26T12:00:01Z', metric: 'fairway.node' };

test('treats a 404 from CloudKitty as no data', async () => {
  const rating = ratingWithResponse(404, 'No resource found for provided filters.');

  expect(await Array.fromAsync(rating.dataFrames(HOUR))).toEqual([]);
});

test('does not treat another 404, such as one from a proxy during a restart, as no data', async () => {
  const rating = ratingWithResponse(404, 'default backend - 404');

  await expect(Array.fromAsync(rating.dataFrames(HOUR))).rejects.toThrow('default backend');
});
