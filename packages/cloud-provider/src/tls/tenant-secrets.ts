import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { Informer } from '@fairway/kube/client/informer';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { MAX_TLS_DATA_LENGTH, readCertificate, type TlsCertificate } from './certificate.ts';

interface WatchedSecret {
  readonly informer: Informer<Secret>;
  readonly stop: AbortController;
  /** Queue keys of objects that refer to the Secret. */
  readonly users: Set<string>;
}

interface SecretsOptions {
  /** Plural of the kind of object that refers to Secrets, for messages. */
  readonly users: string;
  /** Called with the keys of objects that refer to a changed Secret. */
  readonly changed: (key: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Limit per cluster: each Secret requires a watch and keeps a private key in memory. */
const MAX_WATCHED_SECRETS = 100;

export type SecretCertificate = TlsCertificate | { readonly problem: string };

/** The referenced Secrets in tenants' clusters, each watched by name: other Secrets are not read. */
export class TenantSecrets {
  readonly #options: SecretsOptions;
  readonly #watched = new WeakMap<TenantCluster, Map<string, WatchedSecret>>();
  /** The cluster whose Secrets each user refers to. */
  readonly #users = new Map<string, TenantCluster>();
  readonly #parsedCertificates = new WeakMap<Secret, SecretCertificate>();

  constructor(options: SecretsOptions) {
    this.#options = options;
  }

  /**
   * The certificates in these Secrets, in order; undefined until all Secrets have been read once. From now on, `user`
   * is notified of changes to these Secrets only.
   */
  read(tenant: TenantCluster, user: string, names: readonly SecretName[]): readonly SecretCertificate[] | undefined {
    const watched = this.#watchedOf(tenant);
    const keys = names.map(keyOf);
    this.#unwatchExcept(tenant, user, new Set(keys));
    if (names.length > 0) this.#users.set(user, tenant);
    const seen: SecretCertificate[] = [];
    let isComplete = true;
    for (const [index, name] of names.entries()) {
      const key = keys[index] ?? '';
      const each =
        watched.get(key) ?? (watched.size < MAX_WATCHED_SECRETS ? this.#watch(tenant, watched, key, name) : undefined);
      each?.users.add(user);
      if (each === undefined) {
        seen.push({
          problem: `the cluster's ${this.#options.users} refer to more than ${MAX_WATCHED_SECRETS} Secrets`,
        });
      } else if (each.informer.hasSynced) seen.push(this.#certificateIn(each.informer.get(key)));
      else isComplete = false;
    }
    return isComplete ? seen : undefined;
  }

  /** Whether any object refers to Secrets in the cluster. */
  users(): readonly string[] {
    return [...this.#users.keys()];
  }

  /** Records that `user` no longer refers to any Secret. */
  forget(user: string): void {
    const tenant = this.#users.get(user);
    if (tenant) this.#unwatchExcept(tenant, user, new Set());
    this.#users.delete(user);
  }

  #watchedOf(tenant: TenantCluster): Map<string, WatchedSecret> {
    const known = this.#watched.get(tenant) ?? new Map<string, WatchedSecret>();
    this.#watched.set(tenant, known);
    return known;
  }

  #unwatchExcept(tenant: TenantCluster, user: string, keys: ReadonlySet<string>): void {
    const watched = this.#watchedOf(tenant);
    for (const [key, { users, stop }] of watched) {
      if (keys.has(key) || !users.delete(user) || users.size > 0) continue;
      stop.abort();
      watched.delete(key);
    }
  }

  #watch(
    tenant: TenantCluster,
    watched: Map<string, WatchedSecret>,
    key: string,
    { namespace, name }: SecretName,
  ): WatchedSecret {
    const { clock, random, log } = this.#options;
    const informer = new Informer(tenant.client.resource(Secrets), {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      trim: trimSecret,
      clock,
      random,
      log: log.child({ cluster: tenant.clusterKey }),
    });
    const each: WatchedSecret = { informer, stop: new AbortController(), users: new Set() };
    watched.set(key, each);
    const changed = () => each.users.forEach(this.#options.changed);
    informer.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
    // Until the informer has synced, a Secret may exist even if it has not been seen.
    void informer.whenSynced().then(changed, () => {});
    informer.start(AbortSignal.any([tenant.signal, each.stop.signal]));
    return each;
  }

  #certificateIn(secret: Secret | undefined): SecretCertificate {
    if (secret === undefined) return MISSING_SECRET;
    const known = this.#parsedCertificates.get(secret) ?? readCertificate(secret);
    this.#parsedCertificates.set(secret, known);
    return known;
  }
}

/** The content of each Secret, by name; undefined until read. */
export function readSecrets(
  names: readonly SecretName[],
  read: (names: readonly SecretName[]) => readonly SecretCertificate[] | undefined,
): ((secret: SecretName) => SecretCertificate) | undefined {
  const seen = read(names);
  const known = seen && new Map(names.map((name, index) => [keyOf(name), seen[index]]));
  return known && ((secret) => known.get(keyOf(secret)) ?? MISSING_SECRET);
}

const MISSING_SECRET = { problem: 'there is no such Secret' } as const;

function keyOf({ namespace, name }: SecretName): string {
  return `${namespace}/${name}`;
}

/** Only the certificate and key of a Secret; if too long, just enough to detect that. */
function trimSecret({ metadata, data = {} }: Secret): Secret {
  const { name, namespace, uid, resourceVersion } = metadata;
  const [certificate = '', key = ''] = [data['tls.crt'], data['tls.key']];
  const kept = certificate.length + key.length > MAX_TLS_DATA_LENGTH ? MAX_TLS_DATA_LENGTH + 1 : MAX_TLS_DATA_LENGTH;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    data: { 'tls.crt': certificate.slice(0, kept), 'tls.key': key.slice(0, kept) },
  };
}
