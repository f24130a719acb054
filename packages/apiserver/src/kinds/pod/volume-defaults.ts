import type { Volume } from '@fairway/kube/kinds/generated/types';
import { setDefaults } from '../defaulting.ts';
import { canonicalizeQuantities, canonicalQuantity } from '../quantities.ts';

const FILE_MODE = 0o644;
const TOKEN_EXPIRATION_SECONDS = 3600;

/** Upstream's defaults for a pod's volume; a volume without a source is an empty directory. */
export function defaultVolume(volume: Volume): void {
  const sources = Object.keys(volume).filter((field) => field !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source) source.defaultMode ??= FILE_MODE;
  }
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= TOKEN_EXPIRATION_SECONDS;
    defaultFieldRefs(source.downwardAPI?.items);
  }
  defaultFieldRefs(volume.downwardAPI?.items);
  if (volume.emptyDir?.sizeLimit) volume.emptyDir.sizeLimit = canonicalQuantity(volume.emptyDir.sizeLimit);
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.iscsi) setDefaults(volume.iscsi, { iscsiInterface: 'default' });
  if (volume.rbd) setDefaults(volume.rbd, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' });
  if (volume.azureDisk) {
    setDefaults(volume.azureDisk, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false });
  }
  if (volume.scaleIO) setDefaults(volume.scaleIO, { storageMode: 'ThinProvisioned', fsType: 'xfs' });
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (!template) return;
  template.metadata ??= {};
  const claim = template.spec;
  setDefaults(claim, { volumeMode: 'Filesystem' });
  canonicalizeQuantities(claim.resources?.requests);
}

function defaultFieldRefs(items: readonly { fieldRef?: { apiVersion?: string } }[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) setDefaults(fieldRef, { apiVersion: 'v1' });
}
