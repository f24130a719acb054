import { readFileSync } from 'node:fs';
import type { CallCount } from '@fairway/simulator/http/calls';

/** Calls by service, method and route: `network POST /v2.0/ports`. */
export type CallCounts = ReadonlyMap<string, number>;

/**
 * Fairway's calls as counted by the simulated cloud. They are read with its administrator's credential, and the
 * administrator's own calls are excluded.
 */
export class SimulatorCalls {
  readonly #origin: string;
  readonly #token: string;
  readonly #adminProject: string;

  private constructor(origin: string, token: string, adminProject: string) {
    this.#origin = origin;
    this.#token = token;
    this.#adminProject = adminProject;
  }

  static async connect(cloudsYamlPath: string): Promise<SimulatorCalls> {
    const { url, password } = adminEntry(readFileSync(cloudsYamlPath, 'utf8'));
    const domain = { name: 'Default' };
    const response = await fetch(`${url}/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        auth: {
          identity: { methods: ['password'], password: { user: { name: 'admin', domain, password } } },
          scope: { project: { name: 'admin', domain } },
        },
      }),
    });
    const { token } = (await response.json()) as { token: { project: { id: string } } };
    return new SimulatorCalls(new URL(url).origin, response.headers.get('x-subject-token') ?? '', token.project.id);
  }

  /** Counts since the cloud started. */
  async counts(): Promise<CallCounts> {
    const response = await fetch(`${this.#origin}/_sim/calls`, { headers: { 'x-auth-token': this.#token } });
    const { counts } = (await response.json()) as { counts: CallCount[] };
    const calls = new Map<string, number>();
    for (const { userAgent, projectId, service, method, template, count } of counts) {
      if (!userAgent.startsWith('fairway') || projectId === this.#adminProject || projectId === '') continue;
      const key = `${service} ${method} ${template}`;
      calls.set(key, (calls.get(key) ?? 0) + count);
    }
    return calls;
  }
}

export function difference(before: CallCounts, after: CallCounts): CallCounts {
  const entries = [...after].map(([key, count]) => [key, count - (before.get(key) ?? 0)] as const);
  return new Map(entries.filter(([, count]) => count > 0));
}

export function totalOf(counts: CallCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The simulated cloud writes all strings in clouds.yaml as JSON strings. */
function adminEntry(text: string): { readonly url: string; readonly password: string } {
  const [, entry = ''] = text.split('"simulator-admin":');
  const valueOf = (key: string) => JSON.parse(new RegExp(`${key}: (".*")`).exec(entry)?.[1] ?? '""') as string;
  return { url: valueOf('auth_url'), password: valueOf('password') };
}
