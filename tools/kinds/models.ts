import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One property of a @kubernetes/client-node model. */
export interface ModelProperty {
  /** The name on the wire. */
  readonly name: string;
  /** TypeScript type in the generator's format: `Array<V1Container>`, `{ [key: string]: string; }`, `IntOrString`. */
  readonly type: string;
  readonly format: string;
  readonly required: boolean;
  readonly description: string;
}

export interface Model {
  readonly name: string;
  readonly description: string;
  readonly properties: readonly ModelProperty[];
}

const MODELS_FOLDER = join(dirname(fileURLToPath(import.meta.resolve('@kubernetes/client-node'))), 'gen', 'models');

/** Whether a model class with this name exists; `string`, `Date` and the like are not models. */
export function isModel(name: string): boolean {
  return /^\w+$/.test(name) && existsSync(join(MODELS_FOLDER, `${name}.js`));
}

/** Reads names and types from the attribute map, descriptions and optional markers from the declaration. */
export function readModel(name: string): Model {
  const source = readFileSync(join(MODELS_FOLDER, `${name}.js`), 'utf8');
  const declaration = readFileSync(join(MODELS_FOLDER, `${name}.d.ts`), 'utf8');
  const map = /\.attributeTypeMap = (\[[\s\S]*?\n\]);/.exec(source)?.[1];
  if (map === undefined) throw new Error(`${name}.js has no attribute map`);
  const attributes = JSON.parse(map) as { name: string; baseName: string; type: string; format: string }[];
  return {
    name,
    description: unescapeComment(/\/\*\*\n\* (.*)\n\*\/\nexport declare class /.exec(declaration)?.[1] ?? ''),
    properties: attributes.map((attribute) => {
      const member = new RegExp(`(?:/\\*\\*\\n\\s*\\* (.*)\\n\\s*\\*/\\n\\s*)?'${attribute.name}'(\\??):`).exec(
        declaration,
      );
      if (member === null) throw new Error(`${name}.d.ts does not declare ${attribute.name}`);
      return {
        name: attribute.baseName,
        type: attribute.type,
        format: attribute.format,
        required: member[2] === '',
        description: unescapeComment(member[1] ?? ''),
      };
    }),
  };
}

function unescapeComment(text: string): string {
  return text.replaceAll(/\\(['"\\])/g, '$1').trim();
}
