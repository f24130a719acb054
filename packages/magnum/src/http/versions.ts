import { MAX_MINOR, MIN_MINOR, versionText } from './microversion.ts';

const DESCRIPTION = 'Kubernetes clusters of Fairway through the OpenStack Magnum API.';
const COLLECTIONS = [
  'clustertemplates',
  'clusters',
  'quotas',
  'certificates',
  'mservices',
  'stats',
  'federations',
  'nodegroups',
  'credentials',
];

/** Body of `GET /`. */
export function rootDocument(url: string): object {
  const version = {
    id: 'v1',
    status: 'CURRENT',
    min_version: versionText(MIN_MINOR),
    max_version: versionText(MAX_MINOR),
    links: [{ href: `${url}/v1/`, rel: 'self' }],
  };
  return { name: 'OpenStack Magnum API', description: DESCRIPTION, versions: [version] };
}

/** Body of `GET /v1`. */
export function versionDocument(url: string): object {
  const collection = (name: string) => [
    { href: `${url}/v1/${name}/`, rel: 'self' },
    { href: `${url}/${name}/`, rel: 'bookmark' },
  ];
  return {
    id: 'v1',
    media_types: [{ base: 'application/json', type: 'application/vnd.openstack.magnum.v1+json' }],
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    ...Object.fromEntries(COLLECTIONS.map((name) => [name, collection(name)])),
  };
}
