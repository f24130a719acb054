import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

/** A module in the package: plain JavaScript, since Node does not strip types below node_modules. */
export interface PackedModule {
  /** Path from the repository's root, with the extension `.js`. */
  readonly path: string;
  readonly text: string;
}

/** The specifier of an import or re-export, static or dynamic, in code without types. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)'([^'\n]+)'/g;
const PACKAGE_IMPORT = /^@fairway\/([a-z-]+)\/(.+)$/;

/**
 * The modules that the entries import, transitively. Types are blanked out as in Node, so the lines and columns in
 * stack traces match the sources. Throws if an import can't be resolved.
 */
export function packedModules(root: string, entries: readonly string[]): readonly PackedModule[] {
  const queue = [...entries];
  const seen = new Set(queue);
  const modules: PackedModule[] = [];
  for (const path of queue) {
    const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'));
    const text = code.replaceAll(SPECIFIER, (whole, before: string, specifier: string) => {
      const target = sourceOf(path, specifier);
      if (target === undefined) return whole;
      if (target.endsWith('.ts') && !seen.has(target)) {
        seen.add(target);
        queue.push(target);
      }
      return `${before}'${between(path, toJavaScript(target))}'`;
    });
    modules.push({ path: toJavaScript(path), text });
  }
  return modules;
}

/** The file that a specifier refers to; undefined for a library or a Node module. */
function sourceOf(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  const [, packageName, path] = PACKAGE_IMPORT.exec(specifier) ?? [];
  return packageName === undefined ? undefined : `packages/${packageName}/src/${path}.ts`;
}

function toJavaScript(path: string): string {
  return path.replace(/\.ts$/, '.js');
}

function between(importer: string, target: string): string {
  const path = relative(dirname(importer), target).replaceAll(sep, '/');
  return path.startsWith('.') ? path : `./${path}`;
}
