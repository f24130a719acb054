import { partsOf } from '@fairway/api/domain/version-numbers';

/** First version that knows wildcards for resources. */
const FIRST_MINOR_WITH_WILDCARDS = 27;

/**
 * What kube-apiserver encrypts in etcd, with the cluster's own key: everything that it has an API for, custom resources included; before 1.27 Secrets alone. What was
 * written before stays readable, whatever of it was encrypted, so that a restart between any two writes loses nothing; it is encrypted when it is next written.
 */
export function encryptionConfiguration(encryptionKey: string, version: string): object {
  const resources = partsOf(version).minor >= FIRST_MINOR_WITH_WILDCARDS ? ['*.*'] : ['secrets'];
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      { resources, providers: [{ secretbox: { keys: [{ name: 'key1', secret: encryptionKey }] } }, { identity: {} }] },
    ],
  };
}
