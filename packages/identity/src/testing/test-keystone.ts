import type { Clock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import type { Credential } from '@fairway/openstack/auth/credential';
import { Cloud } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { createCloud, type Cloud as SimulatedCloud } from '@fairway/simulator/cloud';
import { KeystoneTokens } from '../keystone-tokens.ts';

export type PasswordCredential = Extract<Credential, { readonly kind: 'password' }>;

/** A simulated Keystone, and the tokens that Fairway validates with its service user there. */
export interface TestKeystone<C extends Clock = FakeClock> {
  readonly clock: C;
  readonly simulator: SimulatedCloud;
  readonly tokens: KeystoneTokens;
  /** Creates a client from an entry in the simulator's clouds.yaml, or from another credential there. */
  as(entry: string, credential?: Credential): OpenStackClient;
  /** The password credential of an entry. */
  loginOf(entry: string): PasswordCredential;
  /** Issues a token for an entry's user, or for another credential. */
  tokenOf(entry: string, credential?: Credential): Promise<string>;
  /** Revokes a token, as an entry's user. */
  revoke(entry: string, token: string): Promise<void>;
  /** Sends a request as Keystone's administrator. Resolves with the JSON in the response, if there is any. */
  send(method: string, path: string, body?: object): Promise<unknown>;
  /** Calls to Keystone so far, by method and route: `GET /v3/auth/tokens`. */
  calls(call: string): number;
  close(): Promise<void>;
}

export function startTestKeystone(service?: string): Promise<TestKeystone> {
  return startKeystoneAt(new FakeClock(), service);
}

/** The same Keystone with a different clock. */
export async function startKeystoneAt<C extends Clock>(
  clock: C,
  service = 'simulator-service',
): Promise<TestKeystone<C>> {
  const simulator = createCloud({ clock, random: seededRandom(1) });
  await simulator.listen({ host: '127.0.0.1', port: 0 });
  const yaml = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? simulator.cloudsYaml() : undefined),
  });
  const clouds: Cloud[] = [];
  const as = (entry: string, credential?: Credential) => {
    const cloud = new Cloud({ config: yaml.get(entry), clock, random: seededRandom(2), readFile: () => '' });
    clouds.push(cloud);
    return cloud.client(credential);
  };
  const send = async (method: string, entry: string, path: string, headers: object, body?: object) => {
    const { session } = as(entry);
    const response = await fetch(`${await session.endpoint('identity')}${path}`, {
      method,
      headers: { 'x-auth-token': (await session.token()).id, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  const tokens = new KeystoneTokens({ identity: as(service).identity, clock });
  return {
    clock,
    simulator,
    tokens,
    as,
    loginOf(entry) {
      const { credential } = yaml.get(entry);
      if (credential.kind !== 'password') throw new Error(`${entry} has no password`);
      return credential;
    },
    tokenOf: async (entry, credential) => (await as(entry, credential).session.token()).id,
    revoke: async (entry, token) => void (await send('DELETE', entry, '/auth/tokens', { 'x-subject-token': token })),
    send: (method, path, body) => send(method, 'simulator-admin', path, {}, body),
    calls: (call) =>
      simulator.calls
        .counts()
        .filter(({ service: name, method, template }) => name === 'identity' && `${method} ${template}` === call)
        .reduce((sum, { count }) => sum + count, 0),
    async close() {
      tokens.close();
      for (const cloud of clouds) await cloud.close();
      await simulator.close();
    },
  };
}
