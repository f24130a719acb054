import { randomUUID } from 'node:crypto';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { type ApiCall, ServiceApi } from '@fairway/openstack/service-api';
import type { ServiceDefinition } from '@fairway/openstack/service-definition';
import { SERVICES } from '@fairway/openstack/services';
import { explainError } from '../command/explain-error.ts';

/** Whether a cloud's user may create something. */
export interface Permission {
  /** In the plural: `servers`. */
  readonly what: string;
  readonly allowed: 'yes' | 'no' | 'unknown';
  /** The service's message; empty if creation is allowed. */
  readonly detail: string;
}

interface PermissionProbe {
  readonly what: string;
  readonly service: 'compute' | 'network' | 'identity';
  readonly template: string;
  /**
   * Refers to something that does not exist or that no service accepts; services detect that only after checking the
   * policy.
   */
  readonly call: ApiCall;
  /** How the service rejects the request from a user who may create the resource. */
  readonly refusal: RegExp;
}

const NAME = 'fairway-doctor';
const NO_NETWORK = /network \S+ could not be found/i;
const NO_FLAVOR_OR_IMAGE = /flavor \S+ could not be found|can not find requested image/i;

/**
 * Requests that create nothing for any user, as handled by Nova, Neutron and Keystone in the Zed release. No such
 * request exists for security groups.
 */
function permissionProbes(userId: string): readonly PermissionProbe[] {
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

/**
 * Requests resources that cannot be created, and distinguishes a policy denial (403) from a rejection of the request.
 * Creates nothing; rejects only if the login is refused.
 */
export async function observePermissions({ session }: OpenStackClient): Promise<readonly Permission[]> {
  const { token } = await session.token();
  return Promise.all(permissionProbes(token.user.id).map((probe) => attempt(probe, apiOf(session, probe.service))));
}

function apiOf(session: OpenStackClient['session'], type: PermissionProbe['service']): ServiceApi {
  const definition: ServiceDefinition | undefined = SERVICES.find((service) => service.type === type);
  const microversions = definition?.microversions;
  const { wanted } = microversions ?? {};
  return microversions && wanted !== undefined
    ? new ServiceApi(session, type, { ...microversions, wanted })
    : new ServiceApi(session, type);
}

async function attempt({ what, template, call, refusal }: PermissionProbe, api: ServiceApi): Promise<Permission> {
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
    // Another error, such as a quota or an unknown field, may occur before the policy check.
    if (refusal.test(error.detail)) return { what, allowed: 'yes', detail: '' };
    return { what, allowed: 'unknown', detail: explainError(error).message };
  }
}
