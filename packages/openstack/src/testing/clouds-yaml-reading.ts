import type { CloudConfig } from '../config/cloud-config.ts';
import type { Reading } from './clouds-yaml-cases.ts';

/** How Fairway interprets a cloud. */
export function readingOf(config: CloudConfig): Reading {
  const { credential, region, tls, endpointOverrides, endpoints } = config;
  if (credential.kind !== 'password') throw new Error(`the cases sign in by password, not by ${credential.kind}`);
  const { user, password, scope } = credential;
  if (scope.kind !== 'project') throw new Error(`the cases sign in to a project, not to a ${scope.kind}`);
  const types = ['compute', 'network', 'block-storage'];
  return {
    authUrl: config.authUrl,
    ...(user.name !== undefined && { username: user.name }),
    password,
    ...(scope.project.name !== undefined && { projectName: scope.project.name }),
    ...(scope.project.id !== undefined && { projectId: scope.project.id }),
    ...(region !== undefined && { region }),
    interface: config.interface,
    verify: tls.cacert ?? tls.verify,
    overrides: endpointOverrides,
    interfaces: Object.fromEntries(types.map((type) => [type, endpoints?.[type]?.interface ?? config.interface])),
    regions: Object.fromEntries(types.map((type) => [type, endpoints?.[type]?.region ?? region ?? ''])),
  };
}
