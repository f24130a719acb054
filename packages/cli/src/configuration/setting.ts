import { durationMs } from '@fairway/api/domain/duration';
import { parseQuantity } from '@fairway/kube/object/quantity';
import { z } from 'zod';

/** What the reference says of a key of fairway.yaml, and how the command line knows it. */
export interface SettingFacts {
  /** A clause without a full stop, in Markdown. */
  readonly description: string;
  /** Completes "is not …": `a whole number of at least 1`. */
  readonly allowed: string;
  /** As it is written in the file; absent if the key is unset by default. */
  readonly default?: string | number | boolean | readonly string[];
  /** What the reference says where no value is the default: `in the home`. */
  readonly otherwise?: string;
  /** Where commander keeps the option, with dots for nested ones. */
  readonly option: string;
  /** The only command that reads it. */
  readonly only?: 'up' | 'serve';
  /** A path: in a file it is relative to the file's folder. */
  readonly path?: 'file' | 'folder' | 'new';
  /** Never shown. */
  readonly isSecret?: true;
}

/** The facts of each key's schema. */
export const SETTING_FACTS = z.registry<SettingFacts>();

/** One key of fairway.yaml. */
export function setting<S extends z.ZodType>(schema: S, facts: SettingFacts): z.ZodOptional<S> {
  SETTING_FACTS.add(schema, facts);
  return schema.optional();
}

/** Text that `parse` reads, as it reads the flag's; it throws for what is wrong. */
export function written<T>(parse: (text: string) => T): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}

/** A list of texts, each of which `parse` accepts. */
export function listOf(parse: (text: string) => unknown): z.ZodType<readonly string[], string[]> {
  return z.array(
    written((text) => {
      parse(text);
      return text;
    }),
  );
}

export function text(): z.ZodType<string, string> {
  return z.string().min(1);
}

export function wholeNumber(min: number): z.ZodType<number, number> {
  return z.int().min(min);
}

/** Milliseconds, written `90s`, `10m`, `1h30m`. */
export function duration(shortestMs: number): z.ZodType<number, string> {
  return written((text) => {
    const value = durationMs(text);
    if (value < shortestMs) throw new Error('too short');
    return value;
  });
}

const BYTE_NANOS = 1_000_000_000n;

/** Bytes, written as a Kubernetes quantity: `64Mi`, or a number. */
export function bytes(min: number): z.ZodType<number, string | number> {
  return z.union([z.string(), z.number()]).transform((text, context) => {
    try {
      const { nanos } = parseQuantity(text);
      const value = Number(nanos / BYTE_NANOS);
      if (nanos % BYTE_NANOS === 0n && value >= min && Number.isSafeInteger(value)) return value;
    } catch {
      // As with one that is too small.
    }
    context.addIssue({ code: 'custom', message: 'not a number of bytes' });
    return z.NEVER;
  });
}
