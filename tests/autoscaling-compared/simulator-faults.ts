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

/** Leaves the simulated cloud of this clouds.yaml without servers of the flavor, from now on. */
export async function exhaust(cloudsYaml: string, flavor: string): Promise<void> {
  const { clouds } = CloudsFile.parse(load(readFileSync(cloudsYaml, 'utf8')));
  const auth = clouds['simulator-admin']?.auth;
  if (auth === undefined) throw new Error(`${cloudsYaml} has no cloud simulator-admin`);
  const { username, password, project_name, user_domain_name, project_domain_name } = auth;
  const user = { name: username, password, domain: { name: user_domain_name } };
  const identity = { methods: ['password'], password: { user } };
  const scope = { project: { name: project_name, domain: { name: project_domain_name } } };
  const login = await post(`${auth.auth_url}/auth/tokens`, { auth: { identity, scope } });
  const rule = { times: null, action: { kind: 'outOfStock', flavor } };
  await post(`${new URL(auth.auth_url).origin}/_sim/faults`, rule, login.headers.get('x-subject-token') ?? '');
}

async function post(url: string, body: object, token?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(token !== undefined && { 'x-auth-token': token }) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}
