import type { Cluster } from '../kinds/cluster.ts';
import type { MachineSpec } from '../kinds/machine.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { isForcedTo } from './forced-upgrade.ts';
import { nodeSettingsOf, settingsDigest } from './node-settings.ts';
import { areNetworksEqual } from './pool-networks.ts';
import { poolZones } from './pool-zones.ts';
import { type DesiredMachine, generationOf, isInOtherZone, isOtherFlavor, machineChange } from './template-change.ts';
import { minorOf } from './version-numbers.ts';

/**
 * Why a machine is outdated. `Asked`: a user changed the template or the minor version, specified this exact version,
 * or is rotating the cluster's credentials. `Patch`: the cluster was patched automatically. `Forced`: it was
 * force-upgraded to another minor version. `ImageBuild`: the image name, or the default, now refers to a newer image.
 */
export type UpdateCause = 'Asked' | 'Patch' | 'Forced' | 'ImageBuild';

export interface RequiredUpdate {
  readonly cause: UpdateCause;
  /** As returned by `machineChange`. */
  readonly change: 'reinstall' | 'replace';
  /** Human-readable difference: `version 1.34.1 instead of 1.34.2`. */
  readonly difference: string;
}

/**
 * The desired state of the pool's machines; undefined until its controller has resolved the names. Addresses are not
 * part of it: a floating IP never requires a replacement.
 */
export function updateTarget(pool: NodePool, cluster: Cluster): Omit<DesiredMachine, 'floatingIP'> | undefined {
  const image = pool.status?.imageID;
  const version = cluster.status?.version;
  if (image === undefined || version === undefined) return undefined;
  const { flavor, rootVolume, networks = [] } = pool.spec;
  const flavorIdentifiers = flavorIdentifiersOf(pool);
  return {
    flavor,
    flavorIdentifiers,
    image,
    version,
    zones: poolZones(pool),
    ...(rootVolume && { rootVolume }),
    ...(networks.length > 0 && { networks }),
    ...authoritiesOf(cluster),
    ...nodeSettingsOf(pool, cluster),
  };
}

/** From the last lookup, which may have used a previous flavor. */
function flavorIdentifiersOf({ spec, status }: NodePool): readonly string[] {
  const identifiers = [status?.flavorID, status?.flavorName].filter((word) => word !== undefined);
  return identifiers.includes(spec.flavor) ? identifiers : [];
}

/** The rotation of the cluster's certificate authorities that machines must follow. */
export function authoritiesOf({ status }: Pick<Cluster, 'status'>): Pick<MachineSpec, 'authorityGeneration'> {
  const { generation } = status?.credentials ?? {};
  return generation === undefined ? {} : { authorityGeneration: generation };
}

/** The update that the machine requires; undefined if it is up to date or its state is unknown. */
export function requiredUpdate(pool: NodePool, cluster: Cluster, machine: MachineSpec): RequiredUpdate | undefined {
  const target = updateTarget(pool, cluster);
  if (target === undefined) return undefined;
  const change = machineChange({ ...target, floatingIP: machine.floatingIP }, machine);
  if (change === 'none' || change === 'inPlace') return undefined;
  const difference = differencesOf(target, machine).join(', ');
  return { change, difference, cause: change === 'replace' ? 'Asked' : causeOf(pool, cluster, target, machine) };
}

function causeOf(
  { status }: NodePool,
  cluster: Cluster,
  target: Pick<DesiredMachine, 'image' | 'version' | 'authorityGeneration' | 'nodeSettings'>,
  machine: MachineSpec,
): UpdateCause {
  if (generationOf(machine) !== generationOf(target)) return 'Asked';
  if (settingsDigest(machine) !== settingsDigest(target)) return 'Asked';
  const isOtherImage = machine.image !== target.image;
  // A pool from an earlier release has no record of its image's name.
  if (isOtherImage && status?.image && !status.image.earlierIDs.includes(machine.image)) return 'Asked';
  if (machine.version === target.version) return 'ImageBuild';
  if (minorOf(machine.version) !== minorOf(target.version))
    return isForcedTo(cluster, target.version) ? 'Forced' : 'Asked';
  return cluster.spec.version === target.version ? 'Asked' : 'Patch';
}

function differencesOf(target: Omit<DesiredMachine, 'floatingIP'>, machine: MachineSpec): string[] {
  const differences: string[] = [];
  const note = (what: string, old: string | undefined, desired: string | undefined) => {
    if (old !== desired) differences.push(`${what} ${old ?? 'of the flavor'} instead of ${desired ?? 'of the flavor'}`);
  };
  note('version', machine.version, target.version);
  note('image', machine.image, target.image);
  if (isOtherFlavor(target, machine)) note('flavor', machine.flavor, target.flavor);
  note('root volume', formatVolume(machine.rootVolume), formatVolume(target.rootVolume));
  if (generationOf(machine) !== generationOf(target)) {
    differences.push("certificate authorities from before the cluster's rotation");
  }
  if (settingsDigest(machine) !== settingsDigest(target)) differences.push('other node settings');
  if (!areNetworksEqual(target.networks, machine.networks)) differences.push('other networks');
  if (isInOtherZone(target, machine)) {
    differences.push(
      `${machine.zone === undefined ? 'no zone' : `zone ${machine.zone}`} instead of ${target.zones.join(' or ')}`,
    );
  }
  return differences;
}

function formatVolume(volume: MachineSpec['rootVolume']): string | undefined {
  if (volume === undefined) return undefined;
  return `${volume.sizeGiB} GiB${volume.type === undefined ? '' : ` of type ${volume.type}`}`;
}
