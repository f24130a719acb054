/** Magnum's API is versioned in a header: `OpenStack-API-Version: container-infra 1.14`. */
export const MIN_MINOR = 1;
export const MAX_MINOR = 14;

/** The service's type and its aliases in catalogs. */
const SERVICE_TYPES = ['container-infrastructure-management', 'container-infrastructure', 'container-infra'] as const;

const [SERVICE_TYPE] = SERVICE_TYPES;

/** The service type that clients of all versions look up. */
export const CATALOG_TYPE = 'container-infra';

/** The minor version of a request, or the reason why the version is not supported, which leads to a 406. */
export type NegotiatedVersion = { readonly minor: number } | { readonly problem: string };

/** Parses the version header. Without it, a request has version 1.1, as in Magnum. Pure. */
export function negotiate(header: string | undefined): NegotiatedVersion {
  if (header === undefined || header.trim() === '') return { minor: MIN_MINOR };
  const parts = header.trim().split(/\s+/);
  const [type = '', version = ''] = parts;
  if (parts.length !== 2 || !SERVICE_TYPES.includes(type as (typeof SERVICE_TYPES)[number])) {
    return { problem: `Invalid service type for OpenStack-API-Version header: '${header.slice(0, 80)}'` };
  }
  if (version.toLowerCase() === 'latest') return { minor: MAX_MINOR };
  const [, minor] = /^1\.(0|[1-9][0-9]{0,3})$/.exec(version) ?? [];
  if (minor === undefined)
    return { problem: `Invalid API version ${version.slice(0, 20)}: it must be of the form 1.N` };
  const requestedMinor = Number(minor);
  if (requestedMinor >= MIN_MINOR && requestedMinor <= MAX_MINOR) return { minor: requestedMinor };
  const range = `Minimum version ${versionText(MIN_MINOR)}, maximum version ${versionText(MAX_MINOR)}.`;
  return { problem: `Version ${version} was requested but the requested API version is not supported. ${range}` };
}

export function versionText(minor: number): string {
  return `1.${minor}`;
}

/** Headers for every response under `/v1`. */
export function versionHeaders(minor: number): Readonly<Record<string, string>> {
  return {
    'openstack-api-version': `${SERVICE_TYPE} ${versionText(minor)}`,
    'openstack-api-minimum-version': `${SERVICE_TYPE} ${versionText(MIN_MINOR)}`,
    'openstack-api-maximum-version': `${SERVICE_TYPE} ${versionText(MAX_MINOR)}`,
    vary: 'OpenStack-API-Version',
  };
}

/** Body of a 406. */
export function unsupportedVersionBody(detail: string, requestId: string): object {
  return {
    errors: [
      {
        request_id: requestId,
        code: 'magnum.microversion-unsupported',
        status: 406,
        title: 'Requested microversion is unsupported',
        detail,
        faultstring: detail,
        min_version: versionText(MIN_MINOR),
        max_version: versionText(MAX_MINOR),
        links: [{ rel: 'help', href: 'http://docs.openstack.org/api-guide/compute/microversions.html' }],
      },
    ],
  };
}
