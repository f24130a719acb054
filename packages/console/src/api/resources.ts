import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { CloudProfile } from '@fairway/api/kinds/cloud-profile';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { ConfigMap, Event, Lease, Secret } from '@fairway/kube/kinds/generated/types';
import type { ObjectMeta } from '@fairway/kube/object/meta';

/** Fields that every object has. */
export interface StoredObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: Partial<ObjectMeta>;
}

/** A kind in the API. The type of its objects exists only in TypeScript. */
export interface Resource<T extends StoredObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Removes fields that no page displays, so that a browser can hold ten thousand objects. */
  readonly keep?: (object: T) => T;
}

function fairwayKind<T extends StoredObject>(kind: string, plural: string, isNamespaced = true): Resource<T> {
  return { group: 'fairway.dev', version: 'v1alpha1', plural, kind, isNamespaced };
}

export const clusters = fairwayKind<Cluster>('Cluster', 'clusters');
export const nodePools = fairwayKind<NodePool>('NodePool', 'nodepools');
export const machines = fairwayKind<Machine>('Machine', 'machines');
export const cloudCredentials = fairwayKind<CloudCredential>('CloudCredential', 'cloudcredentials');
export const cloudProfiles = fairwayKind<CloudProfile>('CloudProfile', 'cloudprofiles');
export const plans = fairwayKind<Plan>('Plan', 'plans', false);
export const kubernetesReleases = fairwayKind<KubernetesRelease>('KubernetesRelease', 'kubernetesreleases', false);
export const events: Resource<Event & StoredObject> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  isNamespaced: true,
};
/** Project members may create and replace Secrets, but not read them. */
export const secrets: Resource<Secret & StoredObject> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  isNamespaced: true,
};
export const leases: Resource<Lease & StoredObject> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  isNamespaced: true,
};
export const configMaps: Resource<ConfigMap & StoredObject> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  isNamespaced: true,
};

/** Computed rather than stored: these resources can be listed, but neither read individually nor watched. */
export const auditEvents = fairwayKind('AuditEvent', 'auditevents');

/** The API path of a collection or of one object; if no namespace is given, the path for all namespaces. */
export function pathOf(
  resource: Pick<Resource<StoredObject>, 'group' | 'version' | 'plural' | 'isNamespaced'>,
  namespace: string | undefined,
  name?: string,
  subresource?: string,
): string {
  const { group, version, plural, isNamespaced } = resource;
  const pathPrefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${pathPrefix}${scope}/${plural}${object}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** The unique key of an object within its kind. */
export function keyOf({ metadata: { namespace, name } }: StoredObject): string {
  return namespace === undefined ? (name ?? '') : `${namespace}/${name}`;
}
