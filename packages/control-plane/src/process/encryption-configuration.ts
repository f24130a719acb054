import { partsOf } from '@fairway/api/domain/version-numbers';

/** First version that supports wildcards for resources. */
const FIRST_MINOR_WITH_WILDCARDS = 27;

/**
 * What kube-apiserver encrypts in etcd, with the cluster's own key: all resources of its API, including custom
 * resources; before 1.27, only Secrets. Earlier data stays readable, whether encrypted or not, so a restart at any
 * point loses nothing. Earlier data is encrypted when it is next written.
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
