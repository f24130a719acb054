import { entityTooLarge } from '@fairway/kube/object/api-error';
import { isCompiled, tryCompilePattern } from './pattern.ts';
import type { Schema } from './schema.ts';

/**
 * Maximum steps for validating one object: each applicable schema checks a value once, and a list of 500,000 numbers
 * with 10,000 alternatives for each would take a day.
 */
const MAX_STEPS = 5_000_000;

/** Regex instructions per step. */
const CHARS_PER_STEP = 50;
const PATTERN_INSTRUCTIONS = 20;
/** Steps per character of a compiled pattern. */
const STEPS_PER_PATTERN_CHAR = 50;

/** Steps per error, which allocates an object with a message. */
const STEPS_PER_ERROR = 50;

function stepsOf(text: string, pattern: string): number {
  const compileSteps = isCompiled(pattern) ? 0 : pattern.length * STEPS_PER_PATTERN_CHAR;
  return compileSteps + text.length * (1 + (tryCompilePattern(pattern)?.size ?? 0) / PATTERN_INSTRUCTIONS);
}

/** Counts the steps for validating one object. Throws 413 if there are too many. */
export class ValidationCost {
  #left = MAX_STEPS;

  /** Charges for checking one value against one schema. */
  chargeValue(value: unknown, { enum: allowed, pattern, required }: Schema): void {
    let steps = 1 + (allowed?.length ?? 0) + (required?.length ?? 0);
    if (typeof value === 'string') {
      steps += value.length / CHARS_PER_STEP;
      if (pattern !== undefined) steps += stepsOf(value, pattern);
    }
    this.#charge(steps);
  }

  chargeErrors(count: number): void {
    if (count > 0) this.#charge(count * STEPS_PER_ERROR);
  }

  #charge(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    throw entityTooLarge(
      `the object takes more than ${MAX_STEPS} steps to validate: shorten its lists and strings, or reduce the alternatives in its schema`,
    );
  }
}
