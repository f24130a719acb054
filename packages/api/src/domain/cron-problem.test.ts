import { expect, test } from 'vitest';
import { cronProblem } from './cron-problem.ts';

test.each(['0 20 * * 1-5', '30 7 * * mon-fri', '@daily', '0 0 1 * *', '0 0 29 2 *', '0 8,20 * * *', '0 * * * *'])(
  'accepts the schedule %s',
  (text) => {
    expect(cronProblem(text)).toBeUndefined();
  },
);

test.each([
  { text: 'evening', says: 'is not a cron expression with five fields' },
  { text: '0 20 * *', says: 'is not a cron expression with five fields' },
  { text: '0 20 * * 1-5 2027', says: 'is not a cron expression with five fields' },
  { text: '0 25 * * *', says: 'Invalid value for hour: 25' },
  { text: '0 0 30 2 *', says: 'never matches' },
  { text: '* * * * *', says: 'matches again after 1 min' },
  { text: '*/15 9 1 * *', says: 'matches again after 15 min' },
  { text: '0,30 20 * * *', says: 'matches again after 30 min' },
])('refuses the schedule $text: $says', ({ text, says }) => {
  expect(cronProblem(text)).toContain(says);
});
