import { describe, expect, test } from 'vitest';
import { growthOf } from './growth.ts';

const flagsOf = ({ flags }: RegExp) => flags.replace('v', 'u');

describe('growthOf', () => {
  test.each([
    { expression: /^(a+)+$/, reason: 'repetitions of repetitions' },
    { expression: /(a*)*b/, reason: 'repetitions of an empty repetition' },
    { expression: /^(?:a|a)*b/, reason: 'two equal alternatives' },
    { expression: /^(?:a|\w)*b/, reason: 'two overlapping alternatives' },
    { expression: /(x+x+)+y/, reason: 'overlapping neighbours in a repetition' },
    { expression: /^(?:a?b?)*c/, reason: 'optional parts in a repetition' },
    { expression: /^(?:[a-z]{0,61}[a-z])*$/, reason: 'a bounded part in a repetition' },
    { expression: /^(?:[a-z]{1,9}){1,9}$/, reason: 'a bounded part in a bounded repetition' },
    { expression: /^(?:\\.|[^"])*"$/, reason: 'an escape that also matches a character' },
    { expression: /^(?:k|K)*!$/i, reason: 'alternatives that differ only in case' },
  ])('is exponential for $expression: $reason', ({ expression }) => {
    expect(growthOf(expression.source, flagsOf(expression))).toBeDefined();
  });

  test.each([
    { expression: /\/+$/, reason: 'a match may start at each slash' },
    { expression: /^\/+|\/+$/g, reason: 'an alternative may start anywhere' },
    { expression: /[^/:@]+(?=(:[^/]*)?(@.*)?$)/, reason: 'the rest may fail' },
    { expression: /a(?=.*b)/, reason: 'a lookahead may start anywhere' },
    { expression: /(?<=a+)b/, reason: 'a lookbehind may start anywhere' },
    { expression: /"(?:[^"\\]|\\.)*"/, reason: 'quotes after backslashes may open texts' },
    { expression: /<Contents>(.*?)<\/Contents>/s, reason: 'openings have several characters' },
    { expression: /access .* exists/, reason: 'openings are words' },
    { expression: /^(.+)-pool-(.+)$/, reason: 'a separator may be part of what it separates' },
    { expression: /^[^@]+@[^@]+\.[^@]+$/, reason: 'neighbours' },
    { expression: /^(["'])(.*)\1x$/, reason: 'a backreference matches again' },
    { expression: /a{300}$|a{0,300}b/, reason: 'a bound is too large to help' },
    { expression: /\s+\b$/, reason: 'an edge may be missing' },
  ])('is quadratic for $expression: $reason', ({ expression }) => {
    expect(growthOf(expression.source, flagsOf(expression))).toMatch(/^its time grows with the square/);
  });

  test.each([
    {
      expression: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
      reason: 'each text has a single path',
    },
    { expression: /[^a-z]+/g, reason: 'it matches before it can fail' },
    { expression: /(?:\s+|\/\/[^\n]*)+/y, reason: 'it matches before it can fail in a repetition' },
    { expression: /^\/+/, reason: 'it only matches from the start' },
    { expression: /a{0,200}b$/, reason: 'bounded' },
    { expression: /<[^<>]+>/, reason: 'an opening ends the match' },
    { expression: /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/, reason: 'a dash ends the match' },
    { expression: /^[^@\s]+@[^@\s]+$/u, reason: 'a separator is part of neither side' },
    { expression: /(?:^|,)([a-z]\w*)="((?:[^"\\]|\\.)*)"/g, reason: 'an escaped quote opens no text' },
  ])('is linear for $expression: $reason', ({ expression }) => {
    expect(growthOf(expression.source, flagsOf(expression))).toBeUndefined();
  });
});
