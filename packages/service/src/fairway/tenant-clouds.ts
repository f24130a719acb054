import { CLOUD_ANNOTATION, PROJECT_ID_ANNOTATION } from '@fairway/api/group';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { Cloud } from '@fairway/openstack/cloud';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { type ExpectedProject, tenantCredential } from '@fairway/tenancy/cloud/tenant-credential';
import { type CloudOpening, openCloud, openProject } from '../up/clouds.ts';

export interface TenantCloudsOptions {
  readonly cloudsYaml: CloudsYaml;
  /** The entry for clusters in the `default` namespace. */
  readonly defaultCloud: string;
  /** ID of a project whose namespace uses the same cloud; this is the entry's own project. */
  readonly defaultProject?: string | undefined;
  readonly opening: CloudOpening;
  /** Fairway's own API, read once it is available. */
  readonly reader: () => ObjectReader;
  readonly client: () => KubeClient;
}

/** The clouds of all namespaces and credentials; each entry of clouds.yaml has one connection pool and one rate limit. */
export function tenantClouds(options: TenantCloudsOptions): {
  readonly clouds: ConfiguredClouds;
  /** The projects in use. */
  readonly opened: () => Iterable<ProjectCloud>;
  readonly close: () => Promise<void>;
} {
  const { cloudsYaml, defaultCloud, defaultProject, opening, reader, client } = options;
  const opened = new Map<string, Cloud>();
  const cloudOf = (entry: string): Cloud | undefined => {
    const known = opened.get(entry);
    if (known || !cloudsYaml.names.includes(entry)) return known;
    const cloud = openCloud(cloudsYaml, entry, opening);
    opened.set(entry, cloud);
    return cloud;
  };
  const annotationOf = (namespace: string, name: string) =>
    reader().get(Namespaces, '', namespace)?.metadata.annotations?.[name];

  const loginOf = ({ metadata }: CloudCredential, cloud: Cloud) => {
    const { namespace = '', name = '' } = metadata;
    const source = tenantCredential({
      namespace,
      name: `credential ${namespace}/${name}`,
      secret: async () => {
        const secretName = reader().get(cloudCredentials, namespace, name)?.spec.secretRef.name;
        return secretName === undefined ? undefined : secretData(client(), namespace, secretName);
      },
      trustee: cloud.config.credential,
      expectedProject: () =>
        expectedProjectID(reader(), {
          namespace,
          name,
          specifiedProject: annotationOf(namespace, PROJECT_ID_ANNOTATION),
        }),
    });
    return { credentialKey: `${namespace}/${name}`, source };
  };

  const clouds = new ConfiguredClouds({
    nameOf: (namespace) => {
      const isDefault =
        namespace === 'default' ||
        (defaultProject !== undefined && annotationOf(namespace, PROJECT_ID_ANNOTATION) === defaultProject);
      return annotationOf(namespace, CLOUD_ANNOTATION) ?? (isDefault ? defaultCloud : undefined);
    },
    open: (entry) => {
      const cloud = cloudOf(entry);
      return cloud && openProject(cloud, opening);
    },
    credentialOf: (namespace, name) => reader().get(cloudCredentials, namespace, name),
    openProject: (credential) => {
      const cloud = cloudOf(credential.spec.cloud);
      return cloud && openProject(cloud, opening, loginOf(credential, cloud));
    },
  });
  return {
    clouds,
    opened: () => clouds.opened,
    close: async () => {
      await Promise.all([...opened.values()].map((cloud) => cloud.close()));
    },
  };
}

/** The operator's annotation, or else the cloud of existing clusters with this credential. */
function expectedProjectID(
  reader: ObjectReader,
  {
    namespace,
    name,
    specifiedProject,
  }: { readonly namespace: string; readonly name: string; readonly specifiedProject: string | undefined },
): ExpectedProject | undefined {
  if (specifiedProject !== undefined) return { id: specifiedProject, reason: `namespace ${namespace}` };
  const users = reader.list(clusters, namespace).filter(({ spec }) => spec.credentialName === name);
  const settled = users.find(({ status }) => status?.projectID !== undefined);
  const id = settled?.status?.projectID;
  return id === undefined ? undefined : { id, reason: `cluster ${settled?.metadata.name}` };
}

async function secretData(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    return (await client.resource(Secrets).get(name, { namespace })).data ?? {};
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
