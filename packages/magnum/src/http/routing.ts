import { trimmed } from '@fairway/base/trim';
import type { Route } from './call.ts';

/** A matching route with its path parameters, or the methods that the path supports. */
export type Match =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly methods: readonly string[] };

interface CompiledRoute {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Routes by path. Literal segments take precedence over parameters: `clusters/detail` before `clusters/{cluster}`. */
export class Routing {
  readonly #routes: readonly CompiledRoute[];

  constructor(routes: readonly Route[]) {
    const parameterCount = (path: string) => path.split('/').filter((segment) => segment.startsWith('{')).length;
    this.#routes = routes
      .toSorted((a, b) => parameterCount(a.path) - parameterCount(b.path))
      .map((route) => ({ route, segments: route.path.split('/') }));
  }

  /** Matches a path under `/v1`; undefined if the path does not exist. */
  find(method: string, path: readonly string[]): Match | undefined {
    const matching = this.#routes.filter(
      ({ segments }) =>
        segments.length === path.length && segments.every((segment, i) => segmentMatches(segment, path[i])),
    );
    const match = matching.find(({ route }) => route.method === method);
    if (match === undefined)
      return matching.length === 0 ? undefined : { methods: matching.map(({ route }) => route.method) };
    const params = match.segments.flatMap((segment, i) =>
      segment.startsWith('{') ? [[segment.slice(1, -1), path[i] ?? ''] as const] : [],
    );
    return { route: match.route, params: Object.fromEntries(params) };
  }
}

function segmentMatches(segment: string, part: string | undefined): boolean {
  return segment.startsWith('{') ? part !== undefined && part !== '' : segment === part;
}

/** The decoded segments of a path, ignoring a trailing slash; undefined if it cannot be decoded. */
export function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return trimmed(path, '/').split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
