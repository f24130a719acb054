import { z } from 'zod';
import { Configuration } from './schema.ts';
import { SETTING_FACTS, type SettingFacts } from './setting.ts';

/** A key in fairway.yaml that has a value. */
export interface Key {
  /** `audit.maxSizeMB`. */
  readonly name: string;
  readonly path: readonly string[];
  /** `FAIRWAY_AUDIT_MAX_SIZE_MB`. */
  readonly variable: string;
  readonly schema: z.ZodType;
  readonly facts: SettingFacts;
}

/** All keys, in the order of the reference. */
export const KEYS: readonly Key[] = keysUnder(Configuration, []);

function keysUnder(section: z.ZodObject, above: readonly string[]): Key[] {
  return Object.entries(section.shape).flatMap(([name, optional]) => {
    const path = [...above, name];
    const schema = (optional as z.ZodOptional<z.ZodType>).unwrap();
    const facts = SETTING_FACTS.get(schema);
    if (facts !== undefined) return [{ name: path.join('.'), path, variable: variableOf(path), schema, facts }];
    if (schema instanceof z.ZodObject) return keysUnder(schema, path);
    throw new Error(`${path.join('.')} has no facts`);
  });
}

function variableOf(path: readonly string[]): string {
  const words = path.map((name) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase());
  return ['FAIRWAY', ...words].join('_');
}

/** The keys allowed under this path in a file. */
export function childNames(path: readonly PropertyKey[]): readonly string[] {
  let section: z.ZodType = Configuration;
  for (const name of path) {
    const child: unknown = section instanceof z.ZodObject ? section.shape[String(name)] : undefined;
    if (!(child instanceof z.ZodOptional)) return [];
    section = child.unwrap() as z.ZodType;
  }
  return section instanceof z.ZodObject ? Object.keys(section.shape) : [];
}
