import { hostname } from 'node:os';
import { CLOUD_ANNOTATION } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import type { CertificateByName, TlsOptions } from '@fairway/apiserver/server/listener';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { projectIdOf } from '@fairway/identity/project-labels';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { PendingNodegroups } from '@fairway/magnum/clusters/pending-nodegroups';
import { ClusterTrusts } from '@fairway/magnum/credentials/cluster-trusts';
import { OrphanedCredentialGC } from '@fairway/magnum/credentials/orphaned-credential-gc';
import { identifyByKeystone } from '@fairway/magnum/identify';
import { type MagnumApi, serveMagnumApi } from '@fairway/magnum/magnum-api';
import { type ConfiguredCredential, DEFAULT_CREDENTIAL, type MagnumServices } from '@fairway/magnum/services';
import type { Cloud } from '@fairway/openstack/cloud';
import type { OpenKeystone } from '../fairway/keystone.ts';
import { clientUrl, type ServerNames } from '../serve/server-address.ts';

export interface OpenMagnumOptions {
  readonly keystone: OpenKeystone;
  /** Fairway's API, accessed with its own identity. */
  readonly client: KubeClient;
  readonly reader: ObjectReader;
  /** Fairway's API, accessed with a user's identity. */
  readonly clientOf: MagnumServices['clientOf'];
  /** The operator's cloud, whose user becomes the trustee of trusts. */
  readonly cloud: Cloud;
  readonly names: ServerNames;
  readonly tls: TlsOptions;
  readonly certificateFor?: CertificateByName | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Serves Magnum's API on top of Fairway's. */
export async function openMagnum(options: OpenMagnumOptions): Promise<MagnumApi> {
  const { keystone, client, reader, clientOf, cloud, names, clock, random, log } = options;
  const projectOfNamespace = (name: string) => {
    const namespace = reader.get(Namespaces, '', name);
    return namespace && projectIdOf(namespace);
  };
  const pendingNodegroups = new PendingNodegroups({ client, clock, log });
  const services = {
    identify: identifyByKeystone(keystone.tokens, keystone.namespaces),
    clientOf,
    systemClient: client,
    projectOfNamespace,
    namespaceOfProject: (projectId: string) =>
      reader.list(Namespaces).find((namespace) => projectIdOf(namespace) === projectId)?.metadata.name,
    configuredCredential: (namespace: string) => configuredCredential(reader, namespace),
    openStackOf: (token: string, id: string) =>
      cloud.client({ kind: 'token', token, scope: { kind: 'project', project: { id } } }),
    trusts: new ClusterTrusts({ cloud, clock, random }),
    pendingNodegroups,
    hostName: hostname(),
    clock,
    random,
    log,
  };
  const { tls, certificateFor, limits } = options;
  return serveMagnumApi({
    services,
    credentialGC: new OrphanedCredentialGC({ client, cloud, projectOfNamespace, clock, log }),
    pendingNodegroups,
    ...names.listen,
    tls,
    certificateFor,
    limits,
    urlOf: (port) => clientUrl(names, port),
    clock,
  });
}

function configuredCredential(reader: ObjectReader, namespace: string): ConfiguredCredential | undefined {
  if (reader.get(Namespaces, '', namespace)?.metadata.annotations?.[CLOUD_ANNOTATION] !== undefined) {
    return { kind: 'operator' };
  }
  const defaultCredential = reader.get(cloudCredentials, namespace, DEFAULT_CREDENTIAL);
  return defaultCredential && defaultCredential.metadata.deletionTimestamp === undefined
    ? { kind: 'credential', name: DEFAULT_CREDENTIAL }
    : undefined;
}
