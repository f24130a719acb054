import type { UserInfo } from '../auth/user.ts';
import type { ApiRequest, ApiResponse } from './request.ts';

/** A path outside the Kubernetes API: metrics, a console, another API. */
export interface Route {
  /** Exact match, or with `prefix` everything below it too. */
  readonly path: string;
  readonly prefix?: boolean;
  /** Served to everyone, without authentication or authorization; false by default. */
  readonly public?: boolean;
  /**
   * Which requests to the path it handles; all by default. Other requests are processed as if the route did not exist.
   */
  readonly handles?: (request: Pick<ApiRequest, 'method' | 'headers'>) => boolean;
  handle(request: ApiRequest, user: UserInfo | undefined): Promise<ApiResponse> | ApiResponse;
}

/** The first route that matches a path; the longest path wins. */
export class Routes {
  #routes: readonly Route[] = [];

  add(route: Route): void {
    this.#routes = [...this.#routes, route].sort((a, b) => b.path.length - a.path.length);
  }

  get paths(): readonly string[] {
    return this.#routes.filter(({ handles }) => handles === undefined).map(({ path }) => path);
  }

  find({ path, ...request }: Pick<ApiRequest, 'method' | 'path' | 'headers'>): Route | undefined {
    return this.#routes.find((route) => {
      if (route.handles?.(request) === false) return false;
      if (path === route.path) return true;
      const base = route.path.endsWith('/') ? route.path : `${route.path}/`;
      return route.prefix === true && path.startsWith(base);
    });
  }
}
