import { charge, charsCost } from './cel-budget.ts';
import { compilePattern, isCompiled, type Pattern, PatternError } from './pattern.ts';

/** Regex instructions per cost unit. */
const INSTRUCTIONS_PER_UNIT = 20;
/** Cost units for compiling one character. */
const UNITS_PER_PATTERN_CHAR = 50;

/** `text.matches(pattern)`. */
export function matchesIn(text: string, pattern: string): boolean {
  return expressionFor(text, pattern).test(text);
}

/** `text.findAll(pattern, limit)`: finds all matches if the limit is negative. */
export function findAllIn(text: string, pattern: string, limit: bigint): string[] {
  return expressionFor(text, pattern).findAll(text, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit));
}

function expressionFor(text: string, pattern: string): Pattern {
  if (!isCompiled(pattern)) charge(pattern.length * UNITS_PER_PATTERN_CHAR);
  let expression: Pattern;
  try {
    expression = compilePattern(pattern);
  } catch (error) {
    if (error instanceof PatternError) throw new Error(error.message, { cause: error });
    throw error;
  }
  charge(charsCost(text.length * (1 + expression.size / INSTRUCTIONS_PER_UNIT)));
  return expression;
}
