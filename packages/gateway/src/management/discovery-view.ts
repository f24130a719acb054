import { GROUP, VERSION } from '@fairway/api/group';
import { z } from 'zod';
import { AUDIT_EVENTS } from '../audit-events/audit-events.ts';
import { GATEWAY_SUBRESOURCES } from '../requests/gateway-subresources.ts';
import { forwardedVerbsOf, isVisible } from './request-routing.ts';

const ApiVersions = z.looseObject({ kind: z.literal('APIVersions') });
const ApiGroup = z.looseObject({ kind: z.literal('APIGroup') });
const ApiGroupList = z.looseObject({
  kind: z.literal('APIGroupList'),
  groups: z.array(z.looseObject({ name: z.string() })),
});
const ApiResourceList = z.looseObject({
  kind: z.literal('APIResourceList'),
  groupVersion: z.string(),
  resources: z.array(z.looseObject({ name: z.string(), verbs: z.array(z.string()) })),
});
const AggregatedResource = z.looseObject({
  resource: z.string(),
  verbs: z.array(z.string()),
  subresources: z.array(z.looseObject({ subresource: z.string() })).optional(),
});
const AggregatedList = z.looseObject({
  kind: z.literal('APIGroupDiscoveryList'),
  items: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: z.string().default('') }).optional(),
      versions: z.array(z.looseObject({ version: z.string(), resources: z.array(AggregatedResource).default([]) })),
    }),
  ),
});
const Document = z.discriminatedUnion('kind', [ApiVersions, ApiGroup, ApiGroupList, ApiResourceList, AggregatedList]);

/**
 * Filters a discovery document of the management cluster for tenants. Adds the subresources that the gateway serves
 * itself, which a CustomResourceDefinition can't define, and removes whatever is not forwarded. `host` is the gateway's
 * address as the client used it.
 */
export function discoveryView(document: unknown, host: string): object {
  const parsed = Document.parse(document);
  switch (parsed.kind) {
    case 'APIGroup':
      return parsed;
    case 'APIVersions':
      // The API server would return its own address, but tenants must use the gateway's.
      return { ...parsed, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }] };
    case 'APIGroupList':
      return { ...parsed, groups: parsed.groups.filter(({ name }) => isVisible(name)) };
    case 'APIResourceList':
      return { ...parsed, resources: visibleResources(parsed) };
    case 'APIGroupDiscoveryList':
      return { ...parsed, items: visibleGroups(parsed) };
  }
}

function visibleResources({ groupVersion, resources }: z.infer<typeof ApiResourceList>): object[] {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  const shown = resources.flatMap((resource) => {
    if (group === GROUP) return [resource];
    const verbs = visibleVerbs(group, resource.name, resource.verbs);
    return verbs.length === 0 ? [] : [{ ...resource, verbs }];
  });
  if (group !== GROUP || version !== VERSION) return shown;
  const fairwayResources = GATEWAY_SUBRESOURCES.map(({ of, subresource, kind, verb }) => {
    const name = `${of.plural}/${subresource}`;
    return { name, singularName: '', namespaced: true, kind: kind.kind, verbs: [verb] };
  });
  const { plural, singular, kind, namespaced } = AUDIT_EVENTS;
  const events = { name: plural, singularName: singular, namespaced, kind, verbs: ['list'] };
  return [...shown, ...fairwayResources, events];
}

function visibleGroups({ items }: z.infer<typeof AggregatedList>): object[] {
  return items.flatMap((item) => {
    const group = item.metadata?.name ?? '';
    if (!isVisible(group)) return [];
    const versions = item.versions.map((entry) => ({
      ...entry,
      resources: [
        ...entry.resources.flatMap((resource) => visibleResource(group, entry.version, resource)),
        ...(group === GROUP && entry.version === VERSION ? [visibleEvents()] : []),
      ],
    }));
    return [{ ...item, versions }];
  });
}

function visibleEvents(): object {
  const { group, version, kind, plural: resource, singular: singularResource } = AUDIT_EVENTS;
  return { resource, responseKind: { group, version, kind }, scope: 'Namespaced', singularResource, verbs: ['list'] };
}

function visibleResource(group: string, version: string, resource: z.infer<typeof AggregatedResource>): object[] {
  if (group !== GROUP) {
    const { subresources: _hiddenVerbs, ...main } = resource;
    const verbs = visibleVerbs(group, resource.resource, resource.verbs);
    return verbs.length === 0 ? [] : [{ ...main, verbs }];
  }
  const fairwayResources = GATEWAY_SUBRESOURCES.filter(
    ({ of }) => version === VERSION && of.plural === resource.resource,
  ).map(({ subresource, kind, verb }) => ({ subresource, responseKind: kind, verbs: [verb] }));
  if (fairwayResources.length === 0) return [resource];
  return [{ ...resource, subresources: [...(resource.subresources ?? []), ...fairwayResources] }];
}

function visibleVerbs(group: string, resource: string, verbs: readonly string[]): string[] {
  const forwardedVerbs = forwardedVerbsOf(group, resource);
  return verbs.filter((verb) => forwardedVerbs.includes(verb));
}
