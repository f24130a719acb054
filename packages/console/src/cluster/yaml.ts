import { dump, load } from 'js-yaml';
import { plain, replaceInvisible } from '../text/plain.ts';

const YAML_OPTIONS = { lineWidth: 100, noRefs: true } as const;

/** Objects as a YAML file. Invisible characters are written as equivalent escapes. */
export function yamlOf(...objects: readonly object[]): string {
  return objects.map(documentOf).join('---\n');
}

function documentOf(object: object): string {
  const text = dump(object, YAML_OPTIONS);
  if (plain(text) === text) return text;
  // Escapes work only in double quotes.
  const quoted = dump(object, { ...YAML_OPTIONS, lineWidth: -1, forceQuotes: true, quoteStyle: 'double' });
  return replaceInvisible(quoted, (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`);
}

export type ParsedYaml =
  | { readonly ok: true; readonly value: object }
  | { readonly ok: false; readonly problem: string };

/** The parsed object, or the error in the text. */
export function readYaml(text: string): ParsedYaml {
  try {
    const value = load(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value };
    return { ok: false, problem: 'an object is expected, with apiVersion, kind, metadata and spec' };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
