import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32 } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN } from './kind.ts';
import { conditions, observedGeneration } from './status.ts';

const id = () => z.string().max(255).describe('Its id in OpenStack.');
const name = () => z.string().max(255).describe('Its name in OpenStack.');

const cloudProfileSpec = z
  .object({
    cloud: z.string().min(1).max(253).describe('Name of the cloud, as the operator calls it.'),
    credentialName: z
      .string()
      .max(253)
      .optional()
      .describe('CloudCredential whose project this is. Empty: the cloud that the operator assigned to the namespace.'),
  })
  .describe('What the profile is about. Fairway writes it.');

const flavor = z
  .object({
    name: name(),
    id: id(),
    vcpus: int32().describe('Virtual CPUs.'),
    memoryMiB: int32().describe('Memory in MiB.'),
    diskGiB: int32().describe('Disk in GiB; 0 for flavors that boot from a volume.'),
  })
  .describe('What a server can be, for spec.flavor of NodePools.');

const image = z
  .object({
    name: name(),
    id: id(),
    os: z.string().max(255).exactOptional().describe('Operating system and version, if the image says.'),
    minDiskGiB: int32().describe('Disk that it needs, in GiB.'),
    minMemoryMiB: int32().describe('Memory that it needs, in MiB.'),
  })
  .describe('What a server can boot, for spec.image of NodePools.');

const subnet = z
  .object({ name: name(), id: id(), cidr: z.string().max(64).describe('Its addresses.') })
  .describe('An IPv4 subnet of the network.');

const network = z
  .object({ name: name(), id: id(), subnets: z.array(subnet).describe('Its IPv4 subnets.') })
  .describe('A network of the project, for spec.network.networkID of Clusters.');

const externalNetwork = z
  .object({ name: name(), id: id() })
  .describe('For spec.network.gateway.externalNetworkID of Clusters.');

const quota = z
  .object({
    name: z.string().max(63).describe('What is counted, such as instances, cores or memoryMiB.'),
    limit: z.int().min(-1).meta({ format: 'int64' }).describe('The limit of the project; -1: none.'),
    used: z.int().min(0).meta({ format: 'int64' }).describe('What the project uses of it.'),
  })
  .describe('A quota of the project.');

const cloudProfileStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions().optional().describe('Ready: whether the cloud answered when it was last asked.'),
    region: z.string().max(255).exactOptional().describe('Region of the cloud.'),
    flavors: z.array(flavor).exactOptional().describe('Flavors, the smallest first.'),
    images: z.array(image).exactOptional().describe('Images that are active, by name.'),
    zones: z.array(z.string().max(255)).exactOptional().describe('Availability zones of servers.'),
    networks: z.array(network).exactOptional().describe('Networks that nodes can be in.'),
    externalNetworks: z.array(externalNetwork).exactOptional().describe('Networks that lead out.'),
    volumeTypes: z
      .array(z.object({ name: name(), id: id() }).describe('For spec.rootVolume.type of NodePools.'))
      .exactOptional()
      .describe('Types of volumes. Absent if the cloud has no volumes.'),
    quotas: z.array(quota).exactOptional().describe('Quotas of the project.'),
    truncated: z
      .array(
        z
          .object({
            list: z.string().max(63).describe('Name of the list here.'),
            total: int32().describe('How many the cloud has.'),
          })
          .describe('A list that is cut.'),
      )
      .exactOptional()
      .describe(
        'Lists that are cut because the cloud has more than fit. What is missing here can be used all the same.',
      ),
  })
  .describe('What the cloud offers the project. Refreshed every 20 minutes while clusters use it, else every hour.');

export type CloudProfileStatus = z.infer<typeof cloudProfileStatus>;

export interface CloudProfile extends KubeObject {
  spec: z.infer<typeof cloudProfileSpec>;
  status?: CloudProfileStatus;
}

export const cloudProfiles = defineKind<CloudProfile>({
  plural: 'cloudprofiles',
  singular: 'cloudprofile',
  kind: 'CloudProfile',
  namespaced: true,
  shortNames: [],
  description:
    'CloudProfile lists what Clusters and NodePools of a namespace may choose in a cloud: flavors, images, zones, networks and quotas. Fairway writes it; it is read-only.',
  spec: cloudProfileSpec,
  status: cloudProfileStatus,
  columns: [
    { name: 'Cloud', type: 'string', value: '.spec.cloud' },
    { name: 'Credential', type: 'string', value: '.spec.credentialName' },
    { name: 'Region', type: 'string', value: '.status.region' },
    { name: 'Ready', type: 'string', value: '.status.conditions[?(@.type=="Ready")].status' },
    AGE_COLUMN,
    { ...MESSAGE_COLUMN, priority: 1 },
  ],
  immutable: ['spec.credentialName'],
  rules: [],
});

/** Name of the profile of a namespace's own cloud, or of a credential's project. */
export function cloudProfileName(credentialName: string | undefined): string {
  return credentialName === undefined ? 'default' : `credential-${credentialName}`;
}
