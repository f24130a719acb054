import { createHash } from 'node:crypto';
import { generationOf } from '@fairway/api/domain/template-change';
import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import type { MachineInstalled, MachineReinstall } from '@fairway/api/kinds/machine-installation';
import { formatTime } from '@fairway/base/clock';
import type { Server } from '@fairway/openstack/types/server';
import type { TenantNode } from '@fairway/tenancy/connection/node';

/** In a server's metadata: the version that it is installed with. */
export const VERSION_METADATA = 'fairway.dev.version';
/** In a server's metadata: the rotation of the cluster's certificate authorities that it is installed after; absent for the first ones. */
export const AUTHORITY_METADATA = 'fairway.dev.authority-generation';
/** In a server's metadata, written by the same call that rebuilds it: which reinstallation its disk is from. */
export const REINSTALL_METADATA = 'fairway.dev.reinstall';

/** What a server is installed from. */
export type Wish = Pick<MachineInstalled, 'image' | 'version' | 'authorityGeneration' | 'reinstallTime'>;

export function wishOf({ image, version, authorityGeneration, reinstallTime }: Wish): Wish {
  return {
    image,
    version,
    ...(authorityGeneration !== undefined && { authorityGeneration }),
    ...(reinstallTime !== undefined && { reinstallTime }),
  };
}

function isAsWished(one: Wish, wish: Wish): boolean {
  const isSameSystem = one.image === wish.image && one.version === wish.version;
  return isSameSystem && generationOf(one) === generationOf(wish) && one.reinstallTime === wish.reinstallTime;
}

/** Names one reinstallation of one machine. A tenant may put it into the metadata of a server too, and then waits for a node that does not come. */
export function reinstallID(
  machine: Machine,
  { startTime, image, version, authorityGeneration, reinstallTime = '' }: MachineReinstall,
): string {
  const authorities = authorityGeneration === undefined ? [] : [authorityGeneration];
  const text = [identityOf(machine), startTime, image, version, reinstallTime, ...authorities].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** What is on the disk of the machine's server, as far as it is recorded; else what it was created with. */
export function installedOn({ spec, status }: Machine, server: Server): MachineInstalled {
  if (status?.installed?.serverID === server.id) {
    const { canReinstall: _, ...installed } = status.installed;
    return installed;
  }
  const { authorityGeneration: _, ...wish } = wishOf(spec);
  return {
    ...wish,
    ...authorityOf(server),
    serverID: server.id,
    image: (server.image ? server.image.id : undefined) ?? spec.image,
    version: server.metadata[VERSION_METADATA] ?? spec.version,
  };
}

/** Metadata for `authorityGeneration`. */
export function authorityMetadata({ authorityGeneration }: Pick<Wish, 'authorityGeneration'>): Record<string, string> {
  return authorityGeneration === undefined ? {} : { [AUTHORITY_METADATA]: `${authorityGeneration}` };
}

function authorityOf({ metadata }: Server): Pick<Wish, 'authorityGeneration'> {
  const text = metadata[AUTHORITY_METADATA] ?? '';
  return /^[0-9]{1,9}$/.test(text) ? { authorityGeneration: Number(text) } : {};
}

/** Whether the node has booted since the reinstallation was asked for: the Node object stays, and an old kubelet's last word with it. */
export function hasBootedSince({ status }: TenantNode, { bootID }: MachineReinstall): boolean {
  const current = status?.nodeInfo?.bootID;
  return current !== undefined && current !== bootID;
}

/** Whether the server has what its reinstallation was for, if one is under way; then its node is all that is missing. */
export function isOnDisk(installed: MachineInstalled | undefined, reinstall: MachineReinstall | undefined): boolean {
  if (reinstall === undefined) return true;
  return reinstall.acceptedTime !== undefined && installed !== undefined && isAsWished(installed, reinstall);
}

/** What is known when the next step of a machine's installation is chosen. */
export interface InstallationFacts {
  readonly wish: Wish;
  readonly installed: MachineInstalled;
  readonly reinstall: MachineReinstall | undefined;
  /** Whether the cloud has accepted the reinstallation under way. */
  readonly isAccepted: 'yes' | 'no' | 'unknown';
  /** As shown by a list that began after that. */
  readonly server: 'rebuilding' | 'stopped' | 'active' | 'other';
  readonly wasCordoned: boolean;
  readonly nowMs: number;
}

export type InstallationStep =
  /** The disk is as asked for. */
  | { readonly kind: 'keep' }
  /** Records the intention, before anything is done. */
  | { readonly kind: 'begin'; readonly reinstall: MachineReinstall; readonly installed: MachineInstalled }
  /** It is no longer asked for, and the disk is as it was. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'drain' }
  /** Whether the cloud has accepted it is not known yet. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'rebuild' }
  | { readonly kind: 'awaitServer' }
  | { readonly kind: 'startServer' }
  /** The server runs with the new disk. */
  | { readonly kind: 'awaitNode'; readonly installed: MachineInstalled };

/** The next step towards a server that is installed as asked for. Pure. */
export function nextInstallationStep(facts: InstallationFacts): InstallationStep {
  const { wish, installed, reinstall, isAccepted, server, wasCordoned, nowMs } = facts;
  const startTime = formatTime(nowMs);
  if (reinstall === undefined) {
    if (isAsWished(installed, wish)) return { kind: 'keep' };
    return { kind: 'begin', reinstall: { ...wish, startTime, wasCordoned }, installed };
  }
  const isWished = isAsWished(reinstall, wish);
  const again = { ...wish, startTime, wasCordoned: reinstall.wasCordoned };
  if (reinstall.requestedTime === undefined) {
    if (isWished) return { kind: 'drain' };
    if (isAsWished(installed, wish)) return { kind: 'cancel' };
    return { kind: 'begin', reinstall: { ...again, startTime: reinstall.startTime }, installed };
  }
  if (isAccepted === 'unknown') return { kind: 'settle' };
  if (isAccepted === 'no') {
    if (isWished) return { kind: 'rebuild' };
    return isAsWished(installed, wish) ? { kind: 'cancel' } : { kind: 'begin', reinstall: again, installed };
  }
  if (server === 'rebuilding') return { kind: 'awaitServer' };
  const { reinstallTime: _, authorityGeneration: __, ...rest } = installed;
  const onDisk = { ...rest, ...wishOf(reinstall) };
  if (!isWished) return { kind: 'begin', reinstall: again, installed: onDisk };
  if (server === 'stopped') return { kind: 'startServer' };
  return server === 'active' ? { kind: 'awaitNode', installed: onDisk } : { kind: 'awaitServer' };
}
