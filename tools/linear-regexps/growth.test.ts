import { describe, expect, test } from 'vitest';
import { growthOf } from './growth.ts';

const flagsOf = ({ flags }: RegExp) => flags.replace('v', 'u');

describe('the time of an expression is', () => {
  test.each([
    { expression: /^(a+)+$/, reason: 'repetitions of repetitions' },
    { expression: /(a*)*b/, reason: 'the same, of nothing' },
    { expression: /^(?:a|a)*b/, reason: 'two of the same' },
    { expression: /^(?:a|\w)*b/, reason: 'two that have something in common' },
    { expression: /(x+x+)+y/, reason: 'neighbours in a repetition' },
    { expression: /^(?:a?b?)*c/, reason: 'what may be left out, in a repetition' },
    { expression: /^(?:[a-z]{0,61}[a-z])*$/, reason: 'a bound does not help in a repetition' },
    { expression: /^(?:[a-z]{1,9}){1,9}$/, reason: 'nor twice' },
    { expression: /^(?:\\.|[^"])*"$/, reason: 'an escape that is a character as well' },
    { expression: /^(?:k|K)*!$/i, reason: 'case does not count' },
  ])('exponential: $expression, $reason', ({ expression }) => {
    expect(growthOf(expression.source, flagsOf(expression))).toBeDefined();
  });

  test.each([
    { expression: /\/+$/, reason: 'it starts again at each slash' },
    { expression: /^\/+|\/+$/g, reason: 'in an alternative' },
    { expression: /[^/:@]+(?=(:[^/]*)?(@.*)?$)/, reason: 'what follows may fail' },
    { expression: /a(?=.*b)/, reason: 'looking ahead from everywhere' },
    { expression: /(?<=a+)b/, reason: 'looking back from everywhere' },
    { expression: /"(?:[^"\\]|\\.)*"/, reason: 'quotes behind backslashes open texts' },
    { expression: /<Contents>(.*?)<\/Contents>/s, reason: 'openings of several characters' },
    { expression: /access .* exists/, reason: 'the same in words' },
    { expression: /^(.+)-pool-(.+)$/, reason: 'a separator that may stand in what it separates' },
    { expression: /^[^@]+@[^@]+\.[^@]+$/, reason: 'neighbours' },
    { expression: /^(["'])(.*)\1x$/, reason: 'what was found before, again' },
    { expression: /a{300}$|a{0,300}b/, reason: 'a bound that is too large to be one' },
    { expression: /\s+\b$/, reason: 'an edge may not be there' },
  ])('quadratic: $expression, $reason', ({ expression }) => {
    expect(growthOf(expression.source, flagsOf(expression))).toMatch(/^its time grows with the square/);
  });

  test.each([
    {
      expression: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
      reason: 'one way for each text',
    },
    { expression: /[^a-z]+/g, reason: 'it has matched before it could fail' },
    { expression: /(?:\s+|\/\/[^\n]*)+/y, reason: 'the same in a repetition' },
    { expression: /^\/+/, reason: 'from the start alone' },
    { expression: /a{0,200}b$/, reason: 'bounded' },
    { expression: /<[^<>]+>/, reason: 'an opening ends it' },
    { expression: /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/, reason: 'the same' },
    { expression: /^[^@\s]+@[^@\s]+$/u, reason: 'a separator that stands in neither' },
    { expression: /(?:^|,)([a-z]\w*)="((?:[^"\\]|\\.)*)"/g, reason: 'a quote that was escaped opens none' },
  ])('linear: $expression, $reason', ({ expression }) => {
    expect(growthOf(expression.source, flagsOf(expression))).toBeUndefined();
  });
});
