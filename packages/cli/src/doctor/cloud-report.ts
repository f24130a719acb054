import { alignColumns } from '../output/table.ts';
import { type Capability, fittingFlavors, fittingImages } from './cloud-capabilities.ts';
import type { CloudObservation } from './cloud-observation.ts';
import type { ObservedValue } from './observed-value.ts';
import { wantedExtensions } from './wanted-extensions.ts';

const ADMIN_WARNING =
  'WARNING: the role admin reaches into the projects of all tenants, and Fairway does not need it: use a user without it';

/** Formats the report on a cloud. */
export function renderCloudReport(cloud: CloudObservation, capabilities: readonly Capability[]): string {
  const { user, project, roles, region } = cloud;
  const where = region === undefined ? '' : ` in region ${region}`;
  const login = `Cloud ${cloud.cloud}: project ${project}${where}, as user ${user} with roles ${roles.join(', ')}\n`;
  const who = roles.includes('admin') ? `${login}${ADMIN_WARNING}\n` : login;
  const offered = alignColumns([
    ['KUBERNETES EXPECTS', 'OFFERED', 'DETAIL', 'MISSING'],
    ...capabilities.map(({ capability, offered, detail, missing }) => [
      capability,
      offered,
      detail,
      missing.join('; '),
    ]),
  ]);
  const services = alignColumns([
    ['SERVICE', 'NAME', 'MICROVERSION', 'URL'],
    ...Object.entries(cloud.services).map(([type, service]) =>
      'value' in service
        ? [type, service.value.name, service.value.microversion ?? '', service.value.url]
        : [type, '', '', 'missing'],
    ),
  ]);
  const extensions = alignColumns([
    ['EXTENSION', 'OFFERED', 'FOR'],
    ...wantedExtensions(cloud).map(({ extension, offered, purpose }) => [extension, offered, purpose]),
  ]);
  const quotas =
    'problem' in cloud.quotas
      ? `quota: ${cloud.quotas.problem}\n`
      : alignColumns([
          ['QUOTA', 'LIMIT', 'USED', 'LEFT'],
          ...cloud.quotas.value.map(({ what, limit, used }) =>
            limit < 0
              ? [what, 'none', `${used}`, 'any']
              : [what, `${limit}`, `${used}`, `${Math.max(0, limit - used)}`],
          ),
        ]);
  const external: ObservedValue<readonly string[]> =
    'problem' in cloud.externalNetworks
      ? cloud.externalNetworks
      : { value: cloud.externalNetworks.value.map(({ name, isDefault }) => (isDefault ? `${name} (default)` : name)) };
  const permissions =
    'problem' in cloud.permissions
      ? `permissions: ${cloud.permissions.problem}\n`
      : alignColumns([
          ['USER MAY CREATE', 'ALLOWED', 'DETAIL'],
          ...cloud.permissions.value.map(({ what, allowed, detail }) => [what, allowed, detail]),
        ]);
  const keystone =
    'problem' in cloud.keystone
      ? `Keystone users: ${cloud.keystone.problem}\n`
      : alignColumns([
          ['FOR USERS OF KEYSTONE IT MAY', 'ALLOWED', 'OTHERWISE'],
          ...cloud.keystone.value.map(({ what, allowed, detail }) => [what, allowed, detail]),
        ]);
  const lists = alignColumns([
    ['zones', list(cloud.computeZones)],
    ['network zones', list(cloud.networkZones)],
    ['external networks', list(external)],
    ['usable flavors', list({ value: fittingFlavors(cloud).map(({ name }) => name) })],
    ['usable images', list({ value: fittingImages(cloud).map(({ name }) => name) })],
  ]);
  return [who, offered, permissions, services, extensions, quotas, keystone, lists].join('\n');
}

function list(names: ObservedValue<readonly string[]>): string {
  return 'problem' in names ? names.problem : names.value.join(', ') || 'none';
}
