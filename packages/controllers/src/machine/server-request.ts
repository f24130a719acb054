import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import type { SchedulerHints, ServerCreate } from '@fairway/openstack/types/server';
import { clusterTag, FAIRWAY_TAG, machineTag } from '@fairway/tenancy/cloud/ownership';
import type { ServerLabels } from '../server-labels/server-labels.ts';
import { authorityMetadata, settingsMetadata, VERSION_METADATA_KEY } from './reinstall-plan.ts';

export interface ServerInputs {
  readonly clusterUid: string;
  readonly clusterName: string;
  readonly flavorID: string;
  readonly networking: ServerNetworking;
  /** Ports in additional networks, in the order of the interfaces; none by default. */
  readonly additionalPortIDs?: readonly string[];
  /** Cloud-init reads user data and addresses from it, if no DHCP server or metadata service provides them. */
  readonly configDrive: boolean;
  /** The tenant's security groups, in addition to Fairway's own. */
  readonly labels: ServerLabels;
  /** Cloud-init in base64. */
  readonly userData: string;
}

/** A port for the server, with its security groups, or the network in which Nova creates one. */
export type ServerNetworking =
  | { readonly portID: string }
  | { readonly networkID: string; readonly securityGroupIDs: readonly string[] };

export interface ServerRequest {
  readonly server: ServerCreate;
  readonly hints: SchedulerHints | undefined;
}

/**
 * The server of a Machine. It has the Machine's name, so that kubelet, cloud and users share one name; only its tags determine its owner.
 */
export function serverRequest(machine: Machine, inputs: ServerInputs): ServerRequest {
  const { spec } = machine;
  const uid = identityOf(machine);
  const { rootVolume } = spec;
  const boot: Partial<ServerCreate> = rootVolume
    ? {
        block_device_mapping_v2: [
          {
            boot_index: 0,
            source_type: 'image',
            destination_type: 'volume',
            uuid: spec.image,
            volume_size: rootVolume.sizeGiB,
            delete_on_termination: true,
            ...(rootVolume.type !== undefined && { volume_type: rootVolume.type }),
          },
        ],
      }
    : { imageRef: spec.image };
  return {
    server: {
      name: machine.metadata.name ?? '',
      flavorRef: inputs.flavorID,
      ...boot,
      ...networkingOf(inputs.networking, inputs.additionalPortIDs),
      user_data: inputs.userData,
      ...(inputs.configDrive && { config_drive: true }),
      tags: [...inputs.labels.tags, FAIRWAY_TAG, clusterTag(inputs.clusterUid), machineTag(uid)],
      metadata: {
        ...inputs.labels.metadata,
        'fairway.dev.cluster': inputs.clusterName,
        'fairway.dev.node-pool': spec.nodePoolName,
        [VERSION_METADATA_KEY]: spec.version,
        ...authorityMetadata(spec),
        ...settingsMetadata(spec),
      },
      ...(spec.zone !== undefined && { availability_zone: spec.zone }),
    },
    hints: spec.serverGroupID === undefined ? undefined : { group: spec.serverGroupID },
  };
}

/** The first interface is the node's: the cloud gives it the default route, and Nova returns its address first. */
function networkingOf(
  networking: ServerNetworking,
  additionalPortIDs: readonly string[] = [],
): Pick<ServerCreate, 'networks' | 'security_groups'> {
  const additional = additionalPortIDs.map((port) => ({ port }));
  if ('portID' in networking) return { networks: [{ port: networking.portID }, ...additional] };
  return {
    networks: [{ uuid: networking.networkID }, ...additional],
    security_groups: networking.securityGroupIDs.map((name) => ({ name })),
  };
}
