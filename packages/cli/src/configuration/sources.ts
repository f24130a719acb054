import { dirname, resolve } from 'node:path';
import { suggest } from '@fairway/api/domain/suggest';
import { loadAll } from 'js-yaml';
import { childNames, KEYS, type Key } from './keys.ts';
import { Configuration } from './schema.ts';

/** A value and its origin. */
export interface FoundValue {
  /** As the program uses it. */
  readonly value: unknown;
  /** As written. */
  readonly text: unknown;
  /** `fairway.yaml` or `FAIRWAY_LISTEN`. */
  readonly origin: string;
}

/** Values by key, and the problems in the source, one line each. */
export interface Source {
  readonly found: ReadonlyMap<string, FoundValue>;
  readonly problems: readonly string[];
}

/** The values in a fairway.yaml. Relative paths in it are resolved against its directory. */
export function valuesOfFile(file: string, content: string): Source {
  let document: unknown;
  try {
    const documents = loadAll(content);
    if (documents.length > 1)
      return sourceWithProblem(`${file}: it has ${documents.length} documents, but only one is allowed`);
    document = withoutNulls(documents[0] ?? {});
  } catch (error) {
    return sourceWithProblem(`${file}: not valid YAML: ${(error as Error).message}`);
  }
  const problems = new Set(problemsOf(document, file));
  const found = new Map<string, FoundValue>();
  for (const key of KEYS) {
    const text = valueAt(document, key.path);
    if (text === undefined) continue;
    const parsed = key.schema.safeParse(text);
    if (!parsed.success) continue;
    found.set(key.name, { value: resolveFrom(dirname(file), key, parsed.data), text, origin: file });
  }
  return { found, problems: [...problems] };
}

/** The values from the environment. */
export function valuesOfEnvironment(env: Readonly<Record<string, string | undefined>>): Source {
  const problems: string[] = [];
  const found = new Map<string, FoundValue>();
  for (const key of KEYS) {
    const text = env[key.variable];
    if (text === undefined || text === '') continue;
    const parsed = key.schema.safeParse(typed(key, text));
    if (parsed.success) found.set(key.name, { value: parsed.data, text, origin: key.variable });
    else problems.push(`${key.variable}: ${shown(key, text)} is not ${key.facts.allowed}`);
  }
  return { found, problems };
}

function sourceWithProblem(problem: string): Source {
  return { found: new Map(), problems: [problem] };
}

/** Drops keys without a value, such as a section whose keys are all commented out. */
function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutNulls(each)]));
}

function problemsOf(document: unknown, file: string): string[] {
  const parsed = Configuration.safeParse(document);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => {
    const key = KEYS.find(({ path }) => path.every((name, index) => issue.path[index] === name));
    if (issue.code === 'unrecognized_keys' && key === undefined) {
      return issue.keys.map((name) => {
        const path = [...issue.path, name].join('.');
        return `${file}: ${path}: unknown key; ${suggest(name, childNames(issue.path))}`;
      });
    }
    if (key === undefined) return [`${file}: ${issue.path.join('.') || 'the document'}: must be a mapping of keys`];
    return [`${file}: ${key.name}: ${shown(key, valueAt(document, key.path))} is not ${key.facts.allowed}`];
  });
}

const MAX_SHOWN_LENGTH = 100;

function shown({ facts }: Key, value: unknown): string {
  if (facts.isSecret) return 'the value';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const name of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function resolveFrom(folder: string, { facts }: Key, value: unknown): unknown {
  const isRelative = facts.path !== undefined && typeof value === 'string' && value !== '-';
  return isRelative ? resolve(folder, value) : value;
}

/** The value that a variable's text represents: numbers, booleans and lists are text in the environment. */
function typed({ schema }: Key, text: string): unknown {
  const items = text.split(',').map((item) => item.trim());
  const interpretations: unknown[] = [
    text,
    Number(text),
    text === 'true' ? true : text === 'false' ? false : text,
    items,
  ];
  return interpretations.find((interpretation) => schema.safeParse(interpretation).success) ?? text;
}
