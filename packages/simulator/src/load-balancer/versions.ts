import { type ApiRequest, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';

/** Minor version in Zed. */
const DEFAULT_MINOR = 26;
/** First minor version (Zed) with additional VIPs. */
const ADDITIONAL_VIPS_MINOR = 26;
/** 2023.2: OVN supports additional VIPs, and allowed CIDRs are compared with all VIPs (a commit of March 2023). */
const ALL_VIPS_MINOR = 27;
/** 2024.1: OVN supports members of both IP versions behind dual-stack VIPs. */
const MIXED_MEMBERS_MINOR = 28;

/** The minor versions of API v2 with their dates, from which clients derive the cloud's features. */
const VERSIONS: readonly (readonly [minor: number, updated: string])[] = [
  [0, '2016-12-11T00:00:00Z'],
  [1, '2018-04-20T00:00:00Z'],
  [2, '2018-07-31T00:00:00Z'],
  [3, '2018-12-18T00:00:00Z'],
  [4, '2018-12-19T00:00:00Z'],
  [5, '2019-01-21T00:00:00Z'],
  [6, '2019-01-25T00:00:00Z'],
  [7, '2018-01-25T12:00:00Z'],
  [8, '2019-02-12T00:00:00Z'],
  [9, '2019-03-04T00:00:00Z'],
  [10, '2019-03-05T00:00:00Z'],
  [11, '2019-06-24T00:00:00Z'],
  [12, '2019-09-11T00:00:00Z'],
  [13, '2019-09-13T00:00:00Z'],
  [14, '2019-11-10T00:00:00Z'],
  [15, '2020-03-10T00:00:00Z'],
  [16, '2020-03-15T00:00:00Z'],
  [17, '2020-04-29T00:00:00Z'],
  [18, '2020-04-29T01:00:00Z'],
  [19, '2020-05-12T00:00:00Z'],
  [20, '2020-08-02T00:00:00Z'],
  [21, '2020-09-03T00:00:00Z'],
  [22, '2020-09-04T00:00:00Z'],
  [23, '2020-09-07T00:00:00Z'],
  [24, '2020-10-15T00:00:00Z'],
  [25, '2021-10-02T00:00:00Z'],
  [26, '2022-08-29T00:00:00Z'],
  [27, '2023-05-05T00:00:00Z'],
  [28, '2023-11-08T00:00:00Z'],
];

/** How Octavia and its providers support additional VIPs, by version. */
export function additionalVipsOf({ config }: World) {
  const { loadBalancerVersion: newest = DEFAULT_MINOR } = config;
  return {
    areKnown: newest >= ADDITIONAL_VIPS_MINOR,
    areHeeded: newest >= ALL_VIPS_MINOR,
    haveMixedMembers: newest >= MIXED_MEMBERS_MINOR,
  };
}

export function versionRoutes({ config }: World): Route[] {
  const { loadBalancerVersion: newest = DEFAULT_MINOR } = config;
  const versions = VERSIONS.filter(([minor]) => minor <= newest);
  const list = ({ serviceUrl }: ApiRequest) =>
    ok({
      versions: versions.map(([minor, updated], i) => ({
        id: `v2.${minor}`,
        status: i === versions.length - 1 ? 'CURRENT' : 'SUPPORTED',
        updated,
        links: [{ href: `${serviceUrl}/v2`, rel: 'self' }],
      })),
    });
  return [{ method: 'GET', template: '/', open: true, handle: list }];
}
