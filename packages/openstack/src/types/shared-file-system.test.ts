import { expect, test } from 'vitest';
import { Share } from './shared-file-system.ts';

test.each([
  { reported: 'available', status: 'available' },
  { reported: null, status: 'creating' },
])('reports $status for a share that Manila lists with status $reported', ({ reported, status }) => {
  expect(Share.parse({ id: 's1', status: reported, size: 1, share_proto: 'NFS' }).status).toBe(status);
});
