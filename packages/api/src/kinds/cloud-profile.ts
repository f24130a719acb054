import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN } from './kind.ts';
import { conditions, observedGeneration } from './status.ts';

const id = () => z.string().max(255).describe('ID in OpenStack.');
const name = () => z.string().max(255).describe('Name in OpenStack.');

const cloudProfileSpec = z
  .object({
    cloud: z.string().min(1).max(253).describe("Name of the cloud in the operator's configuration."),
    credentialName: z
      .string()
      .max(253)
      .optional()
      .describe(
        'Name of the CloudCredential whose project the profile describes. Absent if the profile describes the cloud that the operator assigned to the namespace.',
      ),
  })
  .describe('Cloud and project that the profile describes. Set by Fairway.');

const flavor = z
  .object({
    name: name(),
    id: id(),
    vcpus: int32().describe('Number of virtual CPUs.'),
    memoryMiB: int32().describe('Memory in MiB.'),
    diskGiB: int32().describe('Disk size in GiB; 0 for flavors that boot from a volume.'),
  })
  .describe('Flavor that can be used as spec.flavor of NodePools.');

const image = z
  .object({
    name: name(),
    id: id(),
    os: z
      .string()
      .max(255)
      .exactOptional()
      .describe('Operating system and version, if the properties of the image specify them.'),
    minDiskGiB: int32().describe('Minimum disk size in GiB.'),
    minMemoryMiB: int32().describe('Minimum memory size in MiB.'),
  })
  .describe('Image that can be used as spec.image of NodePools.');

const subnet = z
  .object({ name: name(), id: id(), cidr: z.string().max(64).describe('CIDR of the subnet.') })
  .describe('IPv4 subnet of the network.');

const network = z
  .object({ name: name(), id: id(), subnets: z.array(subnet).describe('IPv4 subnets of the network.') })
  .describe('Network that can be used as spec.network.networkID of Clusters.');

const externalNetwork = z
  .object({ name: name(), id: id() })
  .describe('External network that can be used as spec.network.gateway.externalNetworkID of Clusters.');

export const quota = z
  .object({
    name: z.string().max(63).describe('Resource that the quota limits, such as instances, cores or memoryMiB.'),
    limit: z.int().min(-1).meta({ format: 'int64' }).describe('Limit of the project; -1 if there is no limit.'),
    used: z.int().min(0).meta({ format: 'int64' }).describe('Amount that the project uses.'),
  })
  .describe('Quota of the project.');

const cloudProfileStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions()
      .optional()
      .describe('Conditions of the profile. Ready: the cloud answered the last query.'),
    region: z.string().max(255).exactOptional().describe('Region of the cloud.'),
    flavors: z.array(flavor).exactOptional().describe('Available flavors, smallest first.'),
    images: z.array(image).exactOptional().describe('Active images, sorted by name.'),
    zones: z.array(z.string().max(255)).exactOptional().describe('Availability zones for servers.'),
    networks: z.array(network).exactOptional().describe('Networks that nodes can use.'),
    externalNetworks: z.array(externalNetwork).exactOptional().describe('Available external networks.'),
    volumeTypes: z
      .array(
        z
          .object({ name: name(), id: id() })
          .describe('Volume type that can be used as spec.rootVolume.type of NodePools.'),
      )
      .exactOptional()
      .describe('Available volume types. Absent if the cloud has no volume service.'),
    quotas: z.array(quota).exactOptional().describe('Quotas of the project.'),
    quotasTime: timestamp()
      .exactOptional()
      .describe(
        'Time when the cloud returned these quotas. While the quotas are unchanged, this time is updated only every two hours.',
      ),
    truncated: z
      .array(
        z
          .object({
            list: z.string().max(63).describe('Name of the list in this status.'),
            total: int32().describe('Total number of items in the cloud.'),
          })
          .describe('List that is truncated.'),
      )
      .exactOptional()
      .describe(
        'Lists that are truncated because the cloud has more items than fit into the status. Items that are not listed can still be used.',
      ),
  })
  .describe(
    'What the cloud offers the project. Refreshed every 20 minutes while Clusters use the cloud, otherwise every hour.',
  );

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
    'CloudProfile lists what Clusters and NodePools of a namespace can choose in a cloud: flavors, images, zones, networks and quotas. It is set by Fairway and read-only for tenants.',
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

/** Name of the profile for a namespace's own cloud, or for a credential's project. */
export function cloudProfileName(credentialName: string | undefined): string {
  return credentialName === undefined ? 'default' : `credential-${credentialName}`;
}
