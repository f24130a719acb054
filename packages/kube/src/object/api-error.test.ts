import { expect, test } from 'vitest';
import { forbidden } from './api-error.ts';

test.each([
  {
    subject: { group: 'fairway.dev', resource: 'clusters', name: 'web' },
    message: 'clusters.fairway.dev "web" is forbidden: no',
  },
  { subject: { resource: 'pods' }, message: 'pods is forbidden: no' },
  { subject: {}, message: 'forbidden: no' },
])('$message', ({ subject, message }) => {
  expect(forbidden(subject, 'no').message).toBe(message);
});
