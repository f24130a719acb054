import type { ApiResponse } from './request.ts';

/** Throws or rejects if the check fails. */
export type HealthCheck = () => void | Promise<void>;

const TEXT = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** `/healthz`, `/livez` and `/readyz`, with one path for each check, and `?verbose` and `?exclude=`, like upstream. */
export class Health {
  readonly #checks = new Map<string, { readonly check: HealthCheck; readonly readyOnly: boolean }>();

  constructor() {
    this.add('ping', () => {});
  }

  /** @param readyOnly a failure affects readiness only, not liveness. */
  add(name: string, check: HealthCheck, { readyOnly = false } = {}): void {
    this.#checks.set(name, { check, readyOnly });
  }

  async handle(path: string, query: URLSearchParams): Promise<ApiResponse | undefined> {
    const [root, name, ...rest] = path.split('/').filter((segment) => segment !== '');
    if (rest.length > 0 || root === undefined || !['healthz', 'livez', 'readyz'].includes(root)) return undefined;
    const checks = [...this.#checks].filter(([, { readyOnly }]) => root !== 'livez' || !readyOnly);
    if (name === undefined) return this.#run(root, checks, query);
    const one = checks.find(([checkName]) => checkName === name);
    return one && this.#run(root, [one], query);
  }

  async #run(
    root: string,
    checks: readonly [string, { readonly check: HealthCheck }][],
    query: URLSearchParams,
  ): Promise<ApiResponse> {
    const excluded = query.getAll('exclude');
    const lines: string[] = [];
    let failed = false;
    for (const [name, { check }] of checks) {
      if (excluded.includes(name)) {
        lines.push(`[+]${name} excluded: ok`);
        continue;
      }
      try {
        await check();
        lines.push(`[+]${name} ok`);
      } catch {
        // The reason may reveal internal addresses: upstream withholds it too.
        lines.push(`[-]${name} failed: reason withheld`);
        failed = true;
      }
    }
    if (failed) return { status: 500, headers: TEXT, body: `${lines.join('\n')}\n${root} check failed\n` };
    const body = query.has('verbose') ? `${lines.join('\n')}\n${root} check passed\n` : 'ok';
    return { status: 200, headers: TEXT, body };
  }
}
