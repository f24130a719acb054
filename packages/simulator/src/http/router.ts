import type { Route } from './api.ts';

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

interface CompiledRoute {
  readonly route: Route;
  readonly segments: readonly string[];
  readonly variables: number;
}

/** Finds the route for a path: a literal segment takes precedence over a variable. */
export class Router {
  readonly #routesByLength = new Map<number, CompiledRoute[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const segments = split(route.template);
      const compiled = { route, segments, variables: segments.filter(isVariable).length };
      const routesOfLength = this.#routesByLength.get(segments.length);
      if (routesOfLength === undefined) this.#routesByLength.set(segments.length, [compiled]);
      else routesOfLength.push(compiled);
    }
    for (const list of this.#routesByLength.values()) list.sort((a, b) => a.variables - b.variables);
  }

  /** The match, or 404 for an unknown path, or 405 for a known path that does not support this method. */
  match(method: string, path: string, microversion: number): Match | 404 | 405 {
    const segments = split(path);
    let isKnownPath = false;
    for (const { route, segments: pattern } of this.#routesByLength.get(segments.length) ?? []) {
      const params = matchSegments(pattern, segments);
      if (params === undefined || (route.since ?? 0) > microversion) continue;
      if (route.method === method) return { route, params };
      isKnownPath = true;
    }
    return isKnownPath ? 405 : 404;
  }
}

function split(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function isVariable(segment: string): boolean {
  return segment.startsWith('{');
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const actual = segments[i] ?? '';
    if (!isVariable(expected)) {
      if (expected !== actual) return undefined;
      continue;
    }
    const value = decodeSegment(actual);
    // OpenStack decodes the path before splitting it.
    if (value.includes('/')) return undefined;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
