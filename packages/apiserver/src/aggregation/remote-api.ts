import { createHash } from 'node:crypto';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { APIService } from '@fairway/kube/kinds/generated/types';
import type { Condition } from '@fairway/kube/object/meta';
import type { ServiceTarget } from '../outbound/service-destination.ts';

/** A group version served by another API server, from its APIService. */
export interface RemoteApi {
  /** `v1alpha1.wardle.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly service: ServiceTarget;
  /** PEM. */
  readonly caBundle: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** Its condition Available. */
  readonly isAvailable: boolean;
  /** Compares equal as long as its spec is unchanged. */
  readonly fingerprint: string;
}

const DEFAULT_PORT = 443;

/** Undefined for an APIService without a Service: this server serves such a group version, or no server does. */
export function remoteApiOf({ metadata, spec, status }: APIService): RemoteApi | undefined {
  const { service, group = '', version = '', caBundle, insecureSkipTLSVerify = false } = spec;
  if (service === undefined || group === '') return undefined;
  return {
    name: metadata.name ?? '',
    group,
    version,
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    service: { namespace: service.namespace ?? '', name: service.name ?? '', port: service.port ?? DEFAULT_PORT },
    caBundle: caBundle ? Buffer.from(caBundle, 'base64').toString() : undefined,
    insecureSkipTlsVerify: insecureSkipTLSVerify,
    isAvailable: isConditionTrue(status?.conditions as Condition[] | undefined, 'Available'),
    fingerprint: createHash('sha256').update(JSON.stringify(spec)).digest('base64'),
  };
}

export function groupVersionKey({ group, version }: { readonly group: string; readonly version: string }): string {
  return `${group}/${version}`;
}

const OPENAPI_PATH = '/openapi/v3';

/** The group version in a path: `/apis/GROUP/VERSION`, paths below it, and its OpenAPI document. */
export function groupVersionOf(path: string): { readonly group: string; readonly version: string } | undefined {
  const apiPath = path.startsWith(`${OPENAPI_PATH}/`) ? path.slice(OPENAPI_PATH.length) : path;
  const [root, group, version] = apiPath.split('/', 8).filter((segment) => segment !== '');
  return root === 'apis' && group !== undefined && version !== undefined ? { group, version } : undefined;
}
