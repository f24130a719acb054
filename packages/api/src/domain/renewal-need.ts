import type { Cluster } from '../kinds/cluster.ts';
import type { MachineSpec } from '../kinds/machine.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { isForcedTo } from './forced-upgrade.ts';
import { type DesiredMachine, generationOf, isElsewhere, isOtherFlavor, machineChange } from './template-change.ts';
import { minorOf } from './version-numbers.ts';

/**
 * Why a machine is not as its pool asks for. `Asked`: a person has changed the template, the minor version, or named this exact version, or rotates the cluster's credentials. `Patch`: the cluster
 * has taken a patch by itself. `Forced`: it was brought to another minor version without being asked. `ImageBuild`: the name of the image, or the default, stands for a newer image than before.
 */
export type RenewalCause = 'Asked' | 'Patch' | 'Forced' | 'ImageBuild';

export interface RenewalNeed {
  readonly cause: RenewalCause;
  /** As of `machineChange`. */
  readonly change: 'reinstall' | 'replace';
  /** What differs, for people: `version 1.34.1 instead of 1.34.2`. */
  readonly difference: string;
}

/**
 * What the pool's machines are to be now, as far as its controller has looked its names up; undefined before. The address is not part of it: no machine is renewed
 * for a floating IP.
 */
export function renewalTarget(pool: NodePool, cluster: Cluster): Omit<DesiredMachine, 'floatingIP'> | undefined {
  const image = pool.status?.imageID;
  const version = cluster.status?.version;
  if (image === undefined || version === undefined) return undefined;
  const { flavor, rootVolume, availabilityZones: zones = [] } = pool.spec;
  const flavorSpellings = spellingsOf(pool);
  return {
    flavor,
    flavorSpellings,
    image,
    version,
    zones,
    ...(rootVolume && { rootVolume }),
    ...authoritiesOf(cluster),
  };
}

/** As looked up last: not for this flavor, if that was another one. */
function spellingsOf({ spec, status }: NodePool): readonly string[] {
  const spellings = [status?.flavorID, status?.flavorName].filter((word) => word !== undefined);
  return spellings.includes(spec.flavor) ? spellings : [];
}

/** What machines are to know of rotations of the cluster's certificate authorities. */
export function authoritiesOf({ status }: Pick<Cluster, 'status'>): Pick<MachineSpec, 'authorityGeneration'> {
  const { generation } = status?.credentials ?? {};
  return generation === undefined ? {} : { authorityGeneration: generation };
}

/** Undefined for a machine that is up to date, or as long as that is not known. */
export function renewalNeed(pool: NodePool, cluster: Cluster, machine: MachineSpec): RenewalNeed | undefined {
  const target = renewalTarget(pool, cluster);
  if (target === undefined) return undefined;
  const change = machineChange({ ...target, floatingIP: machine.floatingIP }, machine);
  if (change === 'none' || change === 'inPlace') return undefined;
  const difference = differencesOf(target, machine).join(', ');
  return { change, difference, cause: change === 'replace' ? 'Asked' : causeOf(pool, cluster, target, machine) };
}

function causeOf(
  { status }: NodePool,
  cluster: Cluster,
  target: Pick<DesiredMachine, 'image' | 'version' | 'authorityGeneration'>,
  machine: MachineSpec,
): RenewalCause {
  if (generationOf(machine) !== generationOf(target)) return 'Asked';
  const isOtherImage = machine.image !== target.image;
  // A pool of an earlier release does not know by what name its image was chosen.
  if (isOtherImage && status?.image && !status.image.earlierIDs.includes(machine.image)) return 'Asked';
  if (machine.version === target.version) return 'ImageBuild';
  if (minorOf(machine.version) !== minorOf(target.version))
    return isForcedTo(cluster, target.version) ? 'Forced' : 'Asked';
  return cluster.spec.version === target.version ? 'Asked' : 'Patch';
}

function differencesOf(target: Omit<DesiredMachine, 'floatingIP'>, machine: MachineSpec): string[] {
  const differences: string[] = [];
  const note = (what: string, old: string | undefined, wanted: string | undefined) => {
    if (old !== wanted) differences.push(`${what} ${old ?? 'of the flavor'} instead of ${wanted ?? 'of the flavor'}`);
  };
  note('version', machine.version, target.version);
  note('image', machine.image, target.image);
  if (isOtherFlavor(target, machine)) note('flavor', machine.flavor, target.flavor);
  note('root volume', volumeText(machine.rootVolume), volumeText(target.rootVolume));
  if (generationOf(machine) !== generationOf(target)) {
    differences.push("former certificate authorities instead of those of the cluster's rotation");
  }
  if (isElsewhere(target, machine)) {
    differences.push(
      `${machine.zone === undefined ? 'no zone' : `zone ${machine.zone}`} instead of ${target.zones.join(' or ')}`,
    );
  }
  return differences;
}

function volumeText(volume: MachineSpec['rootVolume']): string | undefined {
  if (volume === undefined) return undefined;
  return `${volume.sizeGiB} GiB${volume.type === undefined ? '' : ` of type ${volume.type}`}`;
}
