import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { Informer } from '@fairway/kube/client/informer';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { TrustStore } from '@fairway/kube/pki/trust-store';
import type { Authenticator } from '../user.ts';
import { createX509Authenticator } from '../x509-authenticator.ts';

/** Where kube-apiserver publishes its client CAs for extension API servers. */
export const AUTHENTICATION_CONFIG = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;
const CLIENT_CA = 'client-ca-file';

/** Watches only that ConfigMap, so a role restricted to its resourceName is sufficient. */
export function authenticationConfig(informers: InformerSet): Informer<ConfigMap> {
  const { namespace, name } = AUTHENTICATION_CONFIG;
  return informers.informer(ConfigMaps, { namespace, fieldSelector: `metadata.name=${name}` });
}

/**
 * Accepts the client certificates that an API server currently accepts, so a rotation needs no restart. If the API
 * server has no `--client-ca-file`, none are accepted.
 */
export function createClientAuthorityAuthenticator(
  configs: Pick<Informer<ConfigMap>, 'get'>,
  clock: Clock,
  log: Logger = silentLogger,
): Authenticator {
  let current: { readonly pem: string; readonly trust: TrustStore | undefined } | undefined;

  function read(pem: string): TrustStore | undefined {
    if (pem === '') return undefined;
    try {
      return new TrustStore(pem);
    } catch (error) {
      log.error(
        { err: error, ...AUTHENTICATION_CONFIG },
        'no client certificate is accepted: the CA bundle cannot be read',
      );
      return undefined;
    }
  }

  function trust(): TrustStore | undefined {
    const { namespace, name } = AUTHENTICATION_CONFIG;
    const pem = configs.get(`${namespace}/${name}`)?.data?.[CLIENT_CA] ?? '';
    if (current?.pem !== pem) current = { pem, trust: read(pem) };
    return current.trust;
  }

  const x509 = createX509Authenticator(() => {
    const known = trust();
    if (known === undefined) throw new Error('the API server publishes no CA for client certificates');
    return known;
  }, clock);
  return {
    authenticate: (credentials) =>
      trust() === undefined ? Promise.resolve(undefined) : x509.authenticate(credentials),
  };
}
