import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import type { SchedulerHints, ServerCreate } from '@fairway/openstack/types/server';
import { clusterTag, FAIRWAY_TAG, machineTag } from '@fairway/tenancy/cloud/ownership';
import { authorityMetadata, VERSION_METADATA } from './reinstall-plan.ts';

export interface ServerInputs {
  readonly clusterUid: string;
  readonly clusterName: string;
  readonly flavorID: string;
  readonly networking: ServerNetworking;
  /** Cloud-init in base64. */
  readonly userData: string;
}

/** A port for the server, with its security groups; or where Nova makes it. */
export type ServerNetworking =
  | { readonly portID: string }
  | { readonly networkID: string; readonly securityGroupID: string };

export interface ServerRequest {
  readonly server: ServerCreate;
  readonly hints: SchedulerHints | undefined;
}

/**
 * The server of a Machine. It has the Machine's name, so that kubelet, cloud and users share one name; its tags alone
 * determine its owner.
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
      ...networkingOf(inputs.networking),
      user_data: inputs.userData,
      tags: [FAIRWAY_TAG, clusterTag(inputs.clusterUid), machineTag(uid)],
      metadata: {
        'fairway.dev.cluster': inputs.clusterName,
        'fairway.dev.node-pool': spec.nodePoolName,
        [VERSION_METADATA]: spec.version,
        ...authorityMetadata(spec),
      },
      ...(spec.zone !== undefined && { availability_zone: spec.zone }),
    },
    hints: spec.serverGroupID === undefined ? undefined : { group: spec.serverGroupID },
  };
}

function networkingOf(networking: ServerNetworking): Pick<ServerCreate, 'networks' | 'security_groups'> {
  if ('portID' in networking) return { networks: [{ port: networking.portID }] };
  return {
    networks: [{ uuid: networking.networkID }],
    security_groups: [{ name: networking.securityGroupID }],
  };
}
