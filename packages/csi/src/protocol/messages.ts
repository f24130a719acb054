/** The messages of csi.proto as the server receives them: fields that were not sent are null, empty or zero. */

export type StringMap = Readonly<Record<string, string>>;

/** Values of the spec's enumerations. */
export const AccessMode = {
  singleNodeWriter: 1,
  singleNodeReaderOnly: 2,
  multiNodeReaderOnly: 3,
  multiNodeSingleWriter: 4,
  multiNodeMultiWriter: 5,
  singleNodeSingleWriter: 6,
  singleNodeMultiWriter: 7,
} as const;

export const PluginService = { controller: 1, accessibilityConstraints: 2 } as const;
export const Expansion = { online: 1, offline: 2 } as const;

export const ControllerCapability = {
  createDeleteVolume: 1,
  publishUnpublishVolume: 2,
  listVolumes: 3,
  createDeleteSnapshot: 5,
  listSnapshots: 6,
  cloneVolume: 7,
  expandVolume: 9,
  listVolumesPublishedNodes: 10,
  getVolume: 12,
} as const;

export interface CapacityRange {
  readonly required_bytes: number;
  readonly limit_bytes: number;
}

export interface VolumeCapability {
  readonly block?: object;
  readonly mount?: { readonly fs_type: string };
  readonly access_mode: { readonly mode: number } | null;
}

export interface VolumeContentSource {
  readonly snapshot?: { readonly snapshot_id: string };
  readonly volume?: { readonly volume_id: string };
}

export interface Topology {
  readonly segments: StringMap;
}

export interface TopologyRequirement {
  readonly requisite: readonly Topology[];
  readonly preferred: readonly Topology[];
}

export interface CsiVolume {
  readonly capacity_bytes: number;
  readonly volume_id: string;
  readonly content_source?: VolumeContentSource;
  readonly accessible_topology: readonly Topology[];
}

export interface CreateVolumeRequest {
  readonly name: string;
  readonly capacity_range: CapacityRange | null;
  readonly volume_capabilities: readonly VolumeCapability[];
  readonly parameters: StringMap;
  readonly volume_content_source: VolumeContentSource | null;
  readonly accessibility_requirements: TopologyRequirement | null;
  readonly mutable_parameters: StringMap;
}

export interface PublishRequest {
  readonly volume_id: string;
  readonly node_id: string;
  readonly volume_capability: VolumeCapability | null;
  readonly readonly: boolean;
}

export interface UnpublishRequest {
  readonly volume_id: string;
  /** Empty for all servers. */
  readonly node_id: string;
}

export interface ValidateRequest {
  readonly volume_id: string;
  readonly volume_context: StringMap;
  readonly volume_capabilities: readonly VolumeCapability[];
  readonly parameters: StringMap;
  readonly mutable_parameters: StringMap;
}

export interface PageRequest {
  /** 0 for all entries. */
  readonly max_entries: number;
  readonly starting_token: string;
}

export interface ListSnapshotsRequest extends PageRequest {
  readonly source_volume_id: string;
  readonly snapshot_id: string;
}

export interface ExpandRequest {
  readonly volume_id: string;
  readonly capacity_range: CapacityRange | null;
  readonly volume_capability: VolumeCapability | null;
}

export interface CreateSnapshotRequest {
  readonly source_volume_id: string;
  readonly name: string;
  readonly parameters: StringMap;
}

export interface CsiSnapshot {
  readonly size_bytes: number;
  readonly snapshot_id: string;
  readonly source_volume_id: string;
  readonly creation_time: { readonly seconds: number; readonly nanos: number };
  readonly ready_to_use: boolean;
}
