import { durationMs } from '@fairway/api/domain/duration';
import { parseQuantity } from '@fairway/kube/object/quantity';
import { z } from 'zod';

/** How the reference describes a key in fairway.yaml, and which command-line option it sets. */
export interface SettingFacts {
  /** A clause without a full stop, in Markdown. */
  readonly description: string;
  /** Completes "is not …": `a whole number of at least 1`. */
  readonly allowed: string;
  /** As written in the file; absent if the key is unset by default. */
  readonly default?: string | number | boolean | readonly string[];
  /** Shown in the reference if there is no default value: `in the home`. */
  readonly defaultText?: string;
  /** Name of the option in commander, with dots for nested ones. */
  readonly option: string;
  /** The only command that reads it. */
  readonly onlyCommand?: 'up' | 'serve';
  /** The value is a path, relative to the file's directory. */
  readonly path?: 'file' | 'folder' | 'new';
  /** Never shown. */
  readonly isSecret?: true;
}

/** The facts recorded for each key's schema. */
export const SETTING_FACTS = z.registry<SettingFacts>();

/** One key in fairway.yaml. */
export function setting<S extends z.ZodType>(schema: S, facts: SettingFacts): z.ZodOptional<S> {
  SETTING_FACTS.add(schema, facts);
  return schema.optional();
}

/** A string that `parse` accepts, as for the flag; it throws if the string is invalid. */
export function parsedText<T>(parse: (text: string) => T): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}

/** A list of strings that `parse` accepts. */
export function listOf(parse: (text: string) => unknown): z.ZodType<readonly string[], string[]> {
  return z.array(
    parsedText((text) => {
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
export function duration(minMs: number): z.ZodType<number, string> {
  return parsedText((text) => {
    const value = durationMs(text);
    if (value < minMs) throw new Error('too short');
    return value;
  });
}

const NANOS_PER_BYTE = 1_000_000_000n;

/** Bytes, written as a Kubernetes quantity: `64Mi`, or a number. */
export function bytes(min: number): z.ZodType<number, string | number> {
  return z.union([z.string(), z.number()]).transform((text, context) => {
    try {
      const { nanos } = parseQuantity(text);
      const value = Number(nanos / NANOS_PER_BYTE);
      if (nanos % NANOS_PER_BYTE === 0n && value >= min && Number.isSafeInteger(value)) return value;
    } catch {
      // Same error as for too small a value.
    }
    context.addIssue({ code: 'custom', message: 'not a number of bytes' });
    return z.NEVER;
  });
}
