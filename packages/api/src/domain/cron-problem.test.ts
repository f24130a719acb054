import { expect, test } from 'vitest';
import { cronProblem } from './cron-problem.ts';

test.each(['0 20 * * 1-5', '30 7 * * mon-fri', '@daily', '0 0 1 * *', '0 0 29 2 *', '0 8,20 * * *', '0 * * * *'])(
  'accepts the schedule %s',
  (text) => {
    expect(cronProblem(text)).toBeUndefined();
  },
);

test.each([
  { text: 'evening', expectedMessage: 'is not a cron expression with five fields' },
  { text: '0 20 * *', expectedMessage: 'is not a cron expression with five fields' },
  { text: '0 20 * * 1-5 2027', expectedMessage: 'is not a cron expression with five fields' },
  { text: '0 25 * * *', expectedMessage: 'Invalid value for hour: 25' },
  { text: '0 0 30 2 *', expectedMessage: 'never matches' },
  { text: '* * * * *', expectedMessage: 'matches again after 1 min' },
  { text: '*/15 9 1 * *', expectedMessage: 'matches again after 15 min' },
  { text: '0,30 20 * * *', expectedMessage: 'matches again after 30 min' },
])('refuses the schedule $text: $expectedMessage', ({ text, expectedMessage }) => {
  expect(cronProblem(text)).toContain(expectedMessage);
});
