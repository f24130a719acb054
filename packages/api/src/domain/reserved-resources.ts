/** Size of a machine according to its flavor. */
export interface MachineSize {
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
}

/** Resources that the kubelet reserves, in the units used by `kubeReserved`. */
export interface ReservedResources {
  readonly cpuMillis: number;
  /** Decimal megabytes, `M`. */
  readonly memoryMB: number;
  /** Decimal gigabytes, `G`. */
  readonly diskGB: number;
}

const RESERVED_MEMORY_MB = 1590;

/**
 * CPU: 15% of one core and 0.5% of all; memory: 1590 MB; disk: log10(GB) * 10 GB and 10%, all rounded up. This is
 * OVHcloud's rule; for b3-16 (4 cores, 16 GB, 100 GB) it yields 170m, 1.59 GB, 30 GB. At most half of a small disk is
 * reserved.
 */
export function reservedResources(size: MachineSize): ReservedResources {
  const diskByRule = size.diskGiB <= 0 ? 0 : Math.log10(size.diskGiB) * 10 + size.diskGiB * 0.1;
  return {
    cpuMillis: Math.ceil(150 + size.vcpus * 5),
    memoryMB: RESERVED_MEMORY_MB,
    diskGB: Math.max(0, Math.ceil(Math.min(diskByRule, size.diskGiB / 2))),
  };
}

/** The reserved resources as `kubeReserved` in a KubeletConfiguration. */
export function kubeReserved(size: MachineSize): { cpu: string; memory: string; 'ephemeral-storage': string } {
  const reserved = reservedResources(size);
  return {
    cpu: `${reserved.cpuMillis}m`,
    memory: `${reserved.memoryMB}M`,
    'ephemeral-storage': `${reserved.diskGB}G`,
  };
}

/** Why a machine of this size can't be a node; undefined if it can. */
export function sizeProblem(size: MachineSize): string | undefined {
  const neededMiB = 2048;
  return size.memoryMiB < neededMiB
    ? `has ${size.memoryMiB} MiB of memory: a node needs at least ${neededMiB} MiB, of which it reserves ${RESERVED_MEMORY_MB} MB`
    : undefined;
}
