import { randomUUID } from 'node:crypto';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { type ApiCall, ServiceApi } from '@fairway/openstack/service-api';
import type { ServiceDefinition } from '@fairway/openstack/service-definition';
import { SERVICES } from '@fairway/openstack/services';
import { explainError } from '../command/explain-error.ts';

/** Whether the user of a cloud may create something. */
export interface Permission {
  /** In the plural: `servers`. */
  readonly what: string;
  readonly allowed: 'yes' | 'no' | 'unknown';
  /** What the service said; empty if it is allowed. */
  readonly detail: string;
}

interface Trial {
  readonly what: string;
  readonly service: 'compute' | 'network' | 'identity';
  readonly template: string;
  /** Names what does not exist, or what no service accepts, which is found out after the policy was asked. */
  readonly call: ApiCall;
  /** How the service refuses it of whoever may create such a thing. */
  readonly refusal: RegExp;
}

const NAME = 'fairway-doctor';
const NO_NETWORK = /network \S+ could not be found/i;
const NO_FLAVOR_OR_IMAGE = /flavor \S+ could not be found|can not find requested image/i;

/** Each as Nova, Neutron and Keystone of Zed answer it: nothing is made, whoever asks. Of security groups there is no such request. */
function trials(userId: string): readonly Trial[] {
  const server = { name: NAME, flavorRef: randomUUID(), imageRef: randomUUID(), networks: [{ uuid: randomUUID() }] };
  const group = { name: NAME, policy: 'affinity', rules: { max_server_per_host: 1 } };
  const network = { name: NAME, availability_zone_hints: [`${NAME}-${randomUUID()}`] };
  const router = { name: NAME, external_gateway_info: { network_id: randomUUID() } };
  const floatingIp = { floating_network_id: randomUUID() };
  const credential = { name: NAME, expires_at: '2001-01-01T00:00:00.000000' };
  return [
    {
      what: 'servers',
      service: 'compute',
      template: '/servers',
      call: { body: { server } },
      refusal: NO_FLAVOR_OR_IMAGE,
    },
    {
      what: 'server groups',
      service: 'compute',
      template: '/os-server-groups',
      call: { body: { server_group: group }, minMicroversion: '2.64' },
      refusal: /only anti-affinity policy supports rules/i,
    },
    {
      what: 'networks',
      service: 'network',
      template: '/networks',
      call: { body: { network } },
      refusal: /availabilityzone \S+ could not be found/i,
    },
    { what: 'routers', service: 'network', template: '/routers', call: { body: { router } }, refusal: NO_NETWORK },
    {
      what: 'floating IPs',
      service: 'network',
      template: '/floatingips',
      call: { body: { floatingip: floatingIp } },
      refusal: NO_NETWORK,
    },
    {
      what: 'application credentials',
      service: 'identity',
      template: '/users/{user_id}/application_credentials',
      call: { params: { user_id: userId }, body: { application_credential: credential } },
      refusal: /\bexpir/i,
    },
  ];
}

/** Asks for what cannot be made, and tells a refusal by policy (403) from one of the request. Creates nothing; never rejects but for a refused login. */
export async function observePermissions({ session }: OpenStackClient): Promise<readonly Permission[]> {
  const { token } = await session.token();
  return Promise.all(trials(token.user.id).map((trial) => attempt(trial, apiOf(session, trial.service))));
}

function apiOf(session: OpenStackClient['session'], type: Trial['service']): ServiceApi {
  const definition: ServiceDefinition | undefined = SERVICES.find((service) => service.type === type);
  const microversions = definition?.microversions;
  const { wanted } = microversions ?? {};
  return microversions && wanted !== undefined
    ? new ServiceApi(session, type, { ...microversions, wanted })
    : new ServiceApi(session, type);
}

async function attempt({ what, template, call, refusal }: Trial, api: ServiceApi): Promise<Permission> {
  try {
    await api.send('POST', template, call);
    return {
      what,
      allowed: 'yes',
      detail: `the cloud accepted a request that it should have rejected: look for ${NAME}`,
    };
  } catch (error) {
    if (!isOpenStackError(error)) throw error;
    if (error.kind === 'forbidden') return { what, allowed: 'no', detail: error.detail };
    // Whatever else it says, a quota or a field that it does not know, may come before the policy.
    if (refusal.test(error.detail)) return { what, allowed: 'yes', detail: '' };
    return { what, allowed: 'unknown', detail: explainError(error).message };
  }
}
