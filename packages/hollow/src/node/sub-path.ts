import type { Container, Pod } from '@fairway/kube/kinds/generated/types';
import { environmentOf } from './shell/container-environment.ts';

const NO_FILES: ReadonlySet<string> = new Set();

/**
 * Kubelet's error for a `subPathExpr` that can't be expanded or that leaves its volume; undefined if no problem is
 * known.
 */
export function subPathProblem(container: Container, pod: Pod): string | undefined {
  const expressions = (container.volumeMounts ?? []).flatMap(({ subPathExpr }) => subPathExpr || []);
  if (expressions.length === 0) return undefined;
  const { variables, hasUnknownVariables } = environmentOf(container, pod, NO_FILES, 0);
  for (const expression of expressions) {
    const names = [...expression.matchAll(VARIABLE)].map(([, name = '']) => name);
    const isKnown = names.every((name) =>
      variables.has(name) ? variables.get(name) !== undefined : !hasUnknownVariables,
    );
    if (!isKnown) continue;
    const missing = names.find((name) => !variables.has(name));
    if (missing !== undefined) return `missing value for "${missing}"`;
    const path = expression.replaceAll(VARIABLE, (_, name: string) => variables.get(name) ?? '');
    if (path.startsWith('/')) return `error SubPath \`${path}\` must not be an absolute path`;
    if (path.split('/').includes('..')) return `unable to provision SubPath \`${path}\`: must not contain '..'`;
  }
  return undefined;
}

const VARIABLE = /\$\(([A-Za-z_][\w.-]*)\)/g;
