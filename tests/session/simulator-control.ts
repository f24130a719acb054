import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const CloudsFile = z.object({
  clouds: z.record(
    z.string(),
    z.object({
      auth: z.object({
        auth_url: z.string(),
        username: z.string(),
        password: z.string(),
        project_name: z.string(),
        user_domain_name: z.string(),
        project_domain_name: z.string(),
      }),
    }),
  ),
});

/** Controls the simulated cloud in a clouds.yaml, as its administrator. */
export class SimulatorControl {
  readonly #origin: string;
  readonly #token: string;

  private constructor(origin: string, token: string) {
    this.#origin = origin;
    this.#token = token;
  }

  static async of(cloudsYaml: string): Promise<SimulatorControl> {
    const { clouds } = CloudsFile.parse(load(readFileSync(cloudsYaml, 'utf8')));
    const auth = clouds['simulator-admin']?.auth;
    if (auth === undefined) throw new Error(`${cloudsYaml} has no cloud simulator-admin`);
    const { username, password, project_name, user_domain_name, project_domain_name } = auth;
    const user = { name: username, password, domain: { name: user_domain_name } };
    const identity = { methods: ['password'], password: { user } };
    const scope = { project: { name: project_name, domain: { name: project_domain_name } } };
    const login = await send('POST', `${auth.auth_url}/auth/tokens`, { body: { auth: { identity, scope } } });
    return new SimulatorControl(new URL(auth.auth_url).origin, login.headers.get('x-subject-token') ?? '');
  }

  /** Makes calls or the cloud itself fail as the simulator's `FaultRule` specifies. */
  async arm(rule: object): Promise<void> {
    await send('POST', `${this.#origin}/_sim/faults`, { body: rule, token: this.#token });
  }

  /** Ends all faults. */
  async disarm(): Promise<void> {
    await send('DELETE', `${this.#origin}/_sim/faults`, { token: this.#token });
  }
}

async function send(method: string, url: string, { body, token }: { readonly body?: object; readonly token?: string }) {
  const headers = { 'content-type': 'application/json', ...(token !== undefined && { 'x-auth-token': token }) };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response;
}
