import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { invalidInput, MagnumError } from '../http/magnum-error.ts';
import { isUuid } from '../stable-uuid.ts';

/** Resolves networks and subnets to their IDs. */
export interface NetworkIds {
  readonly network: string | undefined;
  readonly subnet: string | undefined;
  readonly external: string | undefined;
}

/** IDs or names that the project can see, as in Magnum's API. */
export type NetworkNames = NetworkIds;

/**
 * Looks up names in Neutron with the caller's token. Throws 400 if nothing matches, 409 if several networks or subnets
 * match.
 */
export async function networkIds(names: NetworkNames, openStack: () => OpenStackClient): Promise<NetworkIds> {
  const find = async (
    field: string,
    label: string,
    value: string | undefined,
    list: IdLookup,
  ): Promise<string | undefined> => {
    if (value === undefined || isUuid(value)) return value;
    const found = await list(value).catch((error: unknown) => {
      throw lookupError(error, field, value);
    });
    const [id] = found;
    if (id === undefined) throw invalidInput(`Unable to find ${label} ${value.slice(0, 80)}.`);
    if (found.length === 1) return id;
    throw new MagnumError(
      409,
      `Multiple ${label}s exist with same name ${value.slice(0, 80)}. Please use the id instead.`,
    );
  };
  const networks =
    (isExternal: boolean): IdLookup =>
    (name) =>
      idsOf(openStack().network.networks.list({ name, ...(isExternal && { 'router:external': true }) }));
  const network = await find('fixed_network', 'fixed network', names.network, networks(false));
  const subnet = await find('fixed_subnet', 'fixed subnet', names.subnet, (name) =>
    idsOf(openStack().network.subnets.list({ name, ...(network !== undefined && { network_id: network }) })),
  );
  const external = await find('external_network_id', 'external network', names.external, networks(true));
  return { network, subnet, external };
}

type IdLookup = (name: string) => Promise<readonly string[]>;

/** Two results suffice to detect ambiguity. */
async function idsOf(found: AsyncIterable<{ readonly id: string }>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of found) if (ids.push(id) === 2) break;
  return ids;
}

function lookupError(error: unknown, field: string, value: string): unknown {
  if (!isOpenStackError(error)) return error;
  const why = `cannot look up ${field} "${value.slice(0, 80)}" in Neutron with this token: ${error.detail}; specify the ID instead`;
  const isRefusal = isOpenStackError(error, 'unauthorized') || isOpenStackError(error, 'forbidden');
  return new MagnumError(isRefusal ? 400 : 503, why, { cause: error });
}
