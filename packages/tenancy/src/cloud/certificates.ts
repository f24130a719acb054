import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { KeySecret } from '@fairway/openstack/types/key-manager';
import { type CertificateMark, certificateMark } from './certificate-name.ts';
import type { ProjectCloud } from './project-cloud.ts';

/** Whether the cloud's catalog has a key-manager service. Rejects with the login's error. */
export async function hasKeyManager({ client }: Pick<ProjectCloud, 'client'>): Promise<boolean> {
  try {
    await client.session.endpoint('key-manager');
    return true;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return false;
    throw error;
  }
}

/** One of Fairway's certificates in Barbican. */
export interface StoredCertificate extends CertificateMark {
  readonly secret: KeySecret;
}

/**
 * A cluster's certificates, oldest first, from a list that began after `sinceMs`. Empty if the cloud has no Barbican,
 * or if Fairway's user may not list secrets, since it cannot have created any then.
 */
export async function certificatesOfCluster(
  cloud: ProjectCloud,
  clusterUid: string,
  sinceMs: number,
): Promise<readonly StoredCertificate[]> {
  if (!(await hasKeyManager(cloud))) return [];
  try {
    const listed = await cloud.cache.keySecrets.refreshAfter(sinceMs);
    return storedCertificates(listed).get(clusterUid) ?? [];
  } catch (error) {
    if (isOpenStackError(error, 'forbidden')) return [];
    throw error;
  }
}

/** Built once per list. */
const indexes = new WeakMap<object, ReadonlyMap<string, readonly StoredCertificate[]>>();

/** By cluster UID, oldest first. */
export function storedCertificates({
  items,
}: {
  readonly items: ReadonlyMap<string, KeySecret>;
}): ReadonlyMap<string, readonly StoredCertificate[]> {
  const known = indexes.get(items);
  if (known) return known;
  const index = new Map<string, StoredCertificate[]>();
  for (const secret of [...items.values()].toSorted(byAge)) {
    const mark = certificateMark(secret);
    if (mark === undefined) continue;
    const { clusterUid } = mark.owner;
    const list = index.get(clusterUid);
    if (list) list.push({ ...mark, secret });
    else index.set(clusterUid, [{ ...mark, secret }]);
  }
  indexes.set(items, index);
  return index;
}

function byAge(a: KeySecret, b: KeySecret): number {
  return (a.created ?? '').localeCompare(b.created ?? '') || a.id.localeCompare(b.id);
}
