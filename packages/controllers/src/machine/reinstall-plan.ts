import { createHash } from 'node:crypto';
import { settingsDigest as digestOf } from '@fairway/api/domain/node-settings';
import { generationOf } from '@fairway/api/domain/template-change';
import { identityOf } from '@fairway/api/identity';
import type { Machine, MachineSpec } from '@fairway/api/kinds/machine';
import type { MachineInstallation, MachineReinstall } from '@fairway/api/kinds/machine-installation';
import { formatTime } from '@fairway/base/clock';
import type { Server } from '@fairway/openstack/types/server';
import type { TenantNode } from '@fairway/tenancy/connection/node';

/** In a server's metadata: the installed version. */
export const VERSION_METADATA_KEY = 'fairway.dev.version';
/** In a server's metadata: the CA rotation that it was installed after; absent for the first CA. */
export const AUTHORITY_METADATA_KEY = 'fairway.dev.authority-generation';
/** In a server's metadata: a digest of the settings that it is installed with; absent for none. */
export const SETTINGS_METADATA_KEY = 'fairway.dev.settings';
/** In a server's metadata, written by the same call that rebuilds it: the reinstallation that wrote its disk. */
export const REINSTALL_METADATA_KEY = 'fairway.dev.reinstall';

/** The inputs of a server's installation. */
export type InstallSpec = Pick<
  MachineInstallation,
  'image' | 'version' | 'authorityGeneration' | 'reinstallTime' | 'settingsDigest'
>;

export function installSpec({
  image,
  version,
  authorityGeneration,
  reinstallTime,
  settingsDigest,
}: InstallSpec): InstallSpec {
  return {
    image,
    version,
    ...(authorityGeneration !== undefined && { authorityGeneration }),
    ...(reinstallTime !== undefined && { reinstallTime }),
    ...(settingsDigest !== undefined && { settingsDigest }),
  };
}

/** The desired inputs of a machine's installation. */
export function desiredInstallation(spec: MachineSpec): InstallSpec {
  const digest = digestOf(spec);
  return installSpec({ ...spec, ...(digest !== undefined && { settingsDigest: digest }) });
}

function matchesSpec(one: InstallSpec, desired: InstallSpec): boolean {
  const isSameSystem =
    one.image === desired.image && one.version === desired.version && one.settingsDigest === desired.settingsDigest;
  return isSameSystem && generationOf(one) === generationOf(desired) && one.reinstallTime === desired.reinstallTime;
}

/**
 * Identifies one reinstallation of one machine. A tenant may also put it into the metadata of a server, but then merely
 * waits for a node that never comes.
 */
export function reinstallID(
  machine: Machine,
  { startTime, image, version, authorityGeneration, reinstallTime = '', settingsDigest }: MachineReinstall,
): string {
  const authorities = authorityGeneration === undefined ? [] : [authorityGeneration];
  const settings = settingsDigest === undefined ? [] : [settingsDigest];
  const text = [identityOf(machine), startTime, image, version, reinstallTime, ...authorities, ...settings].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * What is installed on the disk of the machine's server, if recorded; otherwise the values that it was created with.
 */
export function installedOn({ spec, status }: Machine, server: Server): MachineInstallation {
  if (status?.installed?.serverID === server.id) {
    const { canReinstall: _, ...installed } = status.installed;
    return installed;
  }
  const { authorityGeneration: _, settingsDigest: __, ...desired } = desiredInstallation(spec);
  return {
    ...desired,
    ...authorityOf(server),
    ...settingsOf(server),
    serverID: server.id,
    image: (server.image ? server.image.id : undefined) ?? spec.image,
    version: server.metadata[VERSION_METADATA_KEY] ?? spec.version,
  };
}

/** Metadata for `authorityGeneration`. */
export function authorityMetadata({
  authorityGeneration,
}: Pick<InstallSpec, 'authorityGeneration'>): Record<string, string> {
  return authorityGeneration === undefined ? {} : { [AUTHORITY_METADATA_KEY]: `${authorityGeneration}` };
}

/** Metadata for `nodeSettings`. */
export function settingsMetadata(spec: Pick<MachineSpec, 'nodeSettings'>): Record<string, string> {
  const digest = digestOf(spec);
  return digest === undefined ? {} : { [SETTINGS_METADATA_KEY]: digest };
}

function settingsOf({ metadata }: Server): Pick<InstallSpec, 'settingsDigest'> {
  const digest = metadata[SETTINGS_METADATA_KEY] ?? '';
  return /^[0-9a-f]{16}$/.test(digest) ? { settingsDigest: digest } : {};
}

function authorityOf({ metadata }: Server): Pick<InstallSpec, 'authorityGeneration'> {
  const text = metadata[AUTHORITY_METADATA_KEY] ?? '';
  return /^[0-9]{1,9}$/.test(text) ? { authorityGeneration: Number(text) } : {};
}

/** Whether the node has booted since the reinstallation was requested: the Node object is retained, with the last report of the old kubelet. */
export function hasBootedSince({ status }: TenantNode, { bootID }: MachineReinstall): boolean {
  const current = status?.nodeInfo?.bootID;
  return current !== undefined && current !== bootID;
}

/**
 * Whether the server already reflects its reinstallation, if one is in progress, so that only its node is still
 * missing.
 */
export function hasTakenEffect(
  installed: MachineInstallation | undefined,
  reinstall: MachineReinstall | undefined,
): boolean {
  if (reinstall === undefined) return true;
  return reinstall.acceptedTime !== undefined && installed !== undefined && matchesSpec(installed, reinstall);
}

/** The facts from which the next step of a machine's installation is derived. */
export interface InstallationFacts {
  readonly desired: InstallSpec;
  readonly installed: MachineInstallation;
  readonly reinstall: MachineReinstall | undefined;
  /** Whether the cloud has accepted the current reinstallation. */
  readonly isAccepted: 'yes' | 'no' | 'unknown';
  /** The server's state, from a list requested afterwards. */
  readonly server: 'rebuilding' | 'stopped' | 'active' | 'other';
  readonly wasCordoned: boolean;
  readonly nowMs: number;
}

export type InstallationStep =
  /** The disk matches the spec. */
  | { readonly kind: 'keep' }
  /** Records the intention, before anything is done. */
  | { readonly kind: 'begin'; readonly reinstall: MachineReinstall; readonly installed: MachineInstallation }
  /** The reinstallation is no longer requested, and the disk is unchanged. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'drain' }
  /** It is not known yet whether the cloud has accepted the reinstallation. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'rebuild' }
  | { readonly kind: 'awaitServer' }
  | { readonly kind: 'startServer' }
  /** The server runs with the new disk. */
  | { readonly kind: 'awaitNode'; readonly installed: MachineInstallation };

/** The next step towards a server that is installed according to the spec. Pure. */
export function nextInstallationStep(facts: InstallationFacts): InstallationStep {
  const { desired, installed, reinstall, isAccepted, server, wasCordoned, nowMs } = facts;
  const startTime = formatTime(nowMs);
  if (reinstall === undefined) {
    if (matchesSpec(installed, desired)) return { kind: 'keep' };
    return { kind: 'begin', reinstall: { ...desired, startTime, wasCordoned }, installed };
  }
  const isUpToDate = matchesSpec(reinstall, desired);
  const again = { ...desired, startTime, wasCordoned: reinstall.wasCordoned };
  if (reinstall.requestedTime === undefined) {
    if (isUpToDate) return { kind: 'drain' };
    if (matchesSpec(installed, desired)) return { kind: 'cancel' };
    return { kind: 'begin', reinstall: { ...again, startTime: reinstall.startTime }, installed };
  }
  if (isAccepted === 'unknown') return { kind: 'settle' };
  if (isAccepted === 'no') {
    if (isUpToDate) return { kind: 'rebuild' };
    return matchesSpec(installed, desired) ? { kind: 'cancel' } : { kind: 'begin', reinstall: again, installed };
  }
  if (server === 'rebuilding') return { kind: 'awaitServer' };
  const { reinstallTime: _, authorityGeneration: __, settingsDigest: ___, ...rest } = installed;
  const installationOnDisk = { ...rest, ...installSpec(reinstall) };
  if (!isUpToDate) return { kind: 'begin', reinstall: again, installed: installationOnDisk };
  if (server === 'stopped') return { kind: 'startServer' };
  return server === 'active' ? { kind: 'awaitNode', installed: installationOnDisk } : { kind: 'awaitServer' };
}
