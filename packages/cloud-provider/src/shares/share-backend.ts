import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Share, ShareCreate } from '@fairway/openstack/types/shared-file-system';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import { reclaimMark, type StorageOwner, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { type CreateOptions, createStorage, type OwnedStorage, ownedStorage } from '../volumes/owned-storage.ts';
import type { StorageBackend } from '../volumes/storage-backend.ts';
import type { StorageScope } from '../volumes/storage-scope.ts';
import { SHARE_ANNOTATION, SHARE_DRIVER } from './driver.ts';
import type { ShareAccess } from './share-access.ts';
import { accessLevel } from './share-plan.ts';
import { deletionBlocker } from './share-state.ts';

/** How long Manila's lists may take to show that a share is being extended. */
const EXTENSION_TIMEOUT_MS = 60_000;

/** Manila, as the storage backend of PersistentVolumes. */
export class ShareBackend implements StorageBackend<Share> {
  readonly driver = SHARE_DRIVER;
  readonly words = { service: 'shared-file-system', project: 'Manila', noun: 'share' };
  readonly expansion = {
    extendableStatuses: new Set(['available']),
    failed: 'extending_error',
    needsNodeExpansion: () => false,
    isInUse: () => false,
  };
  readonly #access: ShareAccess;
  /** Requested sizes of shares that are being extended, by share ID. */
  readonly #extensions = new Map<string, { readonly sizeGiB: number; readonly untilMs: number }>();

  constructor(access: ShareAccess) {
    this.#access = access;
  }

  cacheOf({ cache }: ProjectCloud): ResourceCache<Share> {
    return cache.shares;
  }

  ledgerOf({ ledgers }: ProjectCloud): Ledger<Share> {
    return ledgers.shares;
  }

  async ownedItems(cloud: ProjectCloud, owner: StorageOwner, signal: AbortSignal): Promise<OwnedStorage<Share>> {
    const kind = { noun: 'share', cache: cloud.cache.shares, ledger: cloud.ledgers.shares };
    const { items, deleting } = await ownedStorage(cloud, kind, owner, signal);
    return { items: items.map((share) => this.#withExtension(share, cloud.now())), deleting };
  }

  /**
   * Whether the share may belong to the PersistentVolume: a PersistentVolume that does not specify a share gets the
   * first one created for it.
   */
  isBackedBy({ metadata, spec }: PersistentVolume, { id }: Share): boolean {
    const named = metadata.annotations?.[SHARE_ANNOTATION];
    return spec.nfs !== undefined && (named === undefined || named === id);
  }

  async findForeign(
    { client }: ProjectCloud,
    { metadata }: PersistentVolume,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const id = metadata.annotations?.[SHARE_ANNOTATION] ?? '';
    if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
    const found = await ignoreNotFound(sharesOf(client).get(id, { signal }));
    return found !== undefined && found.status !== 'deleting' ? id : undefined;
  }

  /** Creates a share with the owner's tags. Rejects with the same errors as `createStorage`. */
  create(
    cloud: ProjectCloud,
    owner: StorageOwner,
    { metadata, ...share }: ShareCreate,
    options: CreateOptions,
  ): Promise<Share> {
    const marked = { ...share, metadata: { ...metadata, ...storageMetadata(owner) } };
    const { signal } = options;
    const prepare = async () => () => sharesOf(cloud.client).create(marked, { signal });
    return createStorage(cloud, cloud.ledgers.shares, owner, options, prepare);
  }

  /** Deletes the share; its access rules are deleted with it. */
  async delete(cloud: ProjectCloud, { id }: Share, signal: AbortSignal): Promise<void> {
    await cloud.remove(cloud.ledgers.shares, id, () => sharesOf(cloud.client).delete(id, { signal }));
    this.#extensions.delete(id);
    this.#access.forgetShare(id);
  }

  heldReason(share: Share): string | undefined {
    return deletionBlocker(share);
  }

  async extend(
    cloud: ProjectCloud,
    owner: StorageOwner,
    share: Share,
    sizeGiB: number,
    signal: AbortSignal,
  ): Promise<void> {
    await cloud.attempts.withBackoff({ kind: 'extend shares', item: storageKey(owner) }, () =>
      cloud.withQuotas(sizeGiB - share.size, () => sharesOf(cloud.client).extend(share.id, sizeGiB, { signal })),
    );
    this.#extensions.set(share.id, { sizeGiB, untilMs: cloud.now() + EXTENSION_TIMEOUT_MS });
    cloud.ledgers.shares.recordWritten(storageKey(owner), { ...share, status: 'extending' }, cloud.now());
  }

  async updateReclaimPolicy(
    cloud: ProjectCloud,
    owner: StorageOwner,
    share: Share,
    policy: 'Delete' | 'Retain',
    signal: AbortSignal,
  ): Promise<void> {
    const metadata = await cloud.attempts.withBackoff({ kind: 'mark shares', item: share.id }, () =>
      sharesOf(cloud.client).mergeMetadata(share.id, reclaimMark(policy), { signal }),
    );
    cloud.ledgers.shares.recordWritten(storageKey(owner), { ...share, metadata }, cloud.now());
  }

  unsupportedReason({ spec }: PersistentVolume): string | undefined {
    return spec.csi && CSI_VOLUME;
  }

  async ensureBackend(
    key: string,
    object: PersistentVolume,
    share: Share,
    scope: StorageScope,
    pass: Pass,
  ): Promise<void> {
    const owner = { clusterUid: scope.tenant.clusterUid, object: object.metadata.name ?? '' };
    const desired = { key, owner, share, level: accessLevel(object.spec.accessModes) };
    await this.#access.ensureAccess(desired, scope, pass);
  }

  #withExtension(share: Share, nowMs: number): Share {
    const requestedSize = this.#extensions.get(share.id);
    if (requestedSize === undefined) return share;
    if (share.size >= requestedSize.sizeGiB || nowMs >= requestedSize.untilMs) {
      this.#extensions.delete(share.id);
      return share;
    }
    return share.status === 'available' ? { ...share, status: 'extending' } : share;
  }
}

const CSI_VOLUME =
  "spec.csi refers to the upstream driver, whose node plugin needs a cloud credential: use spec.nfs with the server and path of the share's export location instead";

function sharesOf(client: OpenStackClient): OpenStackClient['sharedFileSystem']['shares'] {
  return client.sharedFileSystem.shares;
}
