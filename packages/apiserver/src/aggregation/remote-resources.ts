import { z } from 'zod';

/** A kind served by another API server, for both forms of discovery. */
export interface RemoteResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
}

/** Maximum per group version. Kubernetes' largest group version has about 80, including subresources. */
const MAX_RESOURCES = 500;

const texts = z.array(z.string());
const ResourceList = z.object({
  kind: z.literal('APIResourceList'),
  groupVersion: z.string(),
  resources: z
    .array(
      z.object({
        name: z.string(),
        singularName: z.string().default(''),
        namespaced: z.boolean().default(false),
        kind: z.string().default(''),
        verbs: texts.nullish().transform((verbs) => verbs ?? []),
        shortNames: texts.optional(),
        categories: texts.optional(),
        group: z.string().optional(),
        version: z.string().optional(),
      }),
    )
    .max(MAX_RESOURCES, `more than ${MAX_RESOURCES} resources`)
    .nullish(),
});

/** The kinds in an APIResourceList. Throws if the list is not valid for this group version. */
export function remoteResourcesOf(text: string, groupVersion: string): readonly RemoteResource[] | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  const parsed = ResourceList.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `it is no APIResourceList: ${issue?.path.join('.')}: ${issue?.message}`;
  }
  const { data } = parsed;
  if (data.groupVersion !== groupVersion) return `it is about ${JSON.stringify(data.groupVersion.slice(0, 100))}`;
  return data.resources ?? [];
}

/** In the form of `apidiscovery.k8s.io`: subresources are nested below their resource. */
export function resourceDiscovery(
  resources: readonly RemoteResource[],
  own: { readonly group: string; readonly version: string },
): object[] {
  const kindOf = ({ group = own.group, version = own.version, kind }: RemoteResource) => ({ group, version, kind });
  const subresourcesByParent = Map.groupBy(
    resources.filter(({ name }) => name.includes('/')),
    ({ name }) => name.slice(0, name.indexOf('/')),
  );
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => {
      const { name, namespaced, singularName, verbs, shortNames, categories } = resource;
      const subresources = (subresourcesByParent.get(name) ?? []).map((each) => ({
        subresource: each.name.slice(name.length + 1),
        responseKind: kindOf(each),
        verbs: each.verbs,
      }));
      return {
        resource: name,
        responseKind: kindOf(resource),
        scope: namespaced ? 'Namespaced' : 'Cluster',
        singularResource: singularName,
        verbs,
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
        ...(subresources.length > 0 && { subresources }),
      };
    });
}
