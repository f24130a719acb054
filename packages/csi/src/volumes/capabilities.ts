import { AccessMode, type VolumeCapability } from '../protocol/messages.ts';

const MODES: ReadonlySet<number> = new Set(Object.values(AccessMode));
const MULTI_NODE_MODES: ReadonlySet<number> = new Set([
  AccessMode.multiNodeReaderOnly,
  AccessMode.multiNodeSingleWriter,
  AccessMode.multiNodeMultiWriter,
]);

/** What is missing or unknown in a capability; undefined if it is complete. Pure. */
export function incompleteReason(capability: VolumeCapability | null): string | undefined {
  if (capability === null) return 'volume_capability is missing';
  const mode = capability.access_mode?.mode ?? 0;
  if (!MODES.has(mode)) return `access_mode is ${mode}: it must be 1 to 7`;
  if (capability.block === undefined && capability.mount === undefined) return 'access_type is neither block nor mount';
  return undefined;
}

/**
 * Why volumes can't be used in this way; undefined if they can. The decision is the same as for PersistentVolumeClaims.
 * Pure.
 */
export function unsupportedReason(
  capabilities: readonly VolumeCapability[],
  volumes: { readonly isMultiattach: boolean; readonly subjectText: string },
): string | undefined {
  for (const { access_mode: access, mount } of capabilities) {
    const mode = access?.mode ?? 0;
    if (!MULTI_NODE_MODES.has(mode)) continue;
    if (mode !== AccessMode.multiNodeReaderOnly && mount !== undefined) {
      return 'several nodes cannot write to one file system on a volume: request a block volume of a multiattach type, or a share';
    }
    if (!volumes.isMultiattach) {
      return `${volumes.subjectText} limited to one node at a time: use a multiattach volume type, or a share`;
    }
  }
  return undefined;
}
