import type { KubeObject } from '@fairway/kube/object/meta';
import { hasAnyDefault } from '../schema/defaults.ts';
import type { Schema } from '../schema/schema.ts';
import type { PrinterColumn, ResourceDefinition } from '../server/resource.ts';
import type { Converter } from './converter.ts';
import { sharedSchema } from './shared-schema.ts';
import type { CrdColumn, CrdVersion, CustomResourceDefinition } from './types.ts';

/**
 * The resources for a CustomResourceDefinition: one for each served version, under the accepted names. The schemas are
 * shared with the definition, and with equal schemas: do not change the definition while its resources are served.
 */
export function resourcesOfCrd(crd: CustomResourceDefinition, convert?: Converter): ResourceDefinition[] {
  const defaults = defaultsOf(crd);
  return crd.spec.versions
    .filter(({ served }) => served)
    .map((version) => ({ ...resourceOf(crd, version, convert), ...(defaults && { storedDefaults: defaults }) }));
}

/** Includes versions that are no longer served: objects may be stored in them. */
function defaultsOf({ spec }: CustomResourceDefinition): ReadonlyMap<string, Schema> | undefined {
  const schemas = new Map<string, Schema>();
  for (const { name, schema } of spec.versions) {
    const { openAPIV3Schema } = schema ?? {};
    const shared = openAPIV3Schema && sharedSchema(openAPIV3Schema);
    if (shared !== undefined && hasAnyDefault(shared, new Map())) schemas.set(`${spec.group}/${name}`, shared);
  }
  return schemas.size === 0 ? undefined : schemas;
}

function resourceOf(
  crd: CustomResourceDefinition,
  version: CrdVersion,
  convert: Converter | undefined,
): ResourceDefinition {
  const { group, scope } = crd.spec;
  const accepted = crd.status?.acceptedNames;
  const names = accepted?.plural ? accepted : crd.spec.names;
  const { status, scale } = version.subresources ?? {};
  const columns = version.additionalPrinterColumns?.map(columnOf) ?? [];
  const selectable = version.selectableFields?.map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), jsonPath] as const);
  const storedAs = storageOf(crd, version, convert);
  return {
    group,
    version: version.name,
    plural: names.plural,
    kind: names.kind,
    namespaced: scope === 'Namespaced',
    custom: true,
    schema: sharedSchema(version.schema?.openAPIV3Schema ?? { type: 'object' }),
    hasStatus: status !== undefined,
    ...(names.singular && { singular: names.singular }),
    ...(names.listKind && { listKind: names.listKind }),
    ...(names.shortNames && { shortNames: names.shortNames }),
    ...(names.categories && { categories: names.categories }),
    ...(scale && { scale }),
    ...(columns.length > 0 && { columns }),
    ...(selectable && { selectableFields: Object.fromEntries(selectable) }),
    ...(storedAs && { storedAs }),
    ...(version.deprecated && { strategy: { warnings: () => [deprecationOf(crd, version)] } }),
  };
}

function columnOf({ name, type, jsonPath, format, description, priority }: CrdColumn): PrinterColumn {
  return {
    name,
    type: type as PrinterColumn['type'],
    value: jsonPath,
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
  };
}

function deprecationOf({ spec }: CustomResourceDefinition, { name, deprecationWarning }: CrdVersion): string {
  return deprecationWarning ?? `${spec.group}/${name} ${spec.names.kind} is deprecated`;
}

/**
 * Without a webhook, versions differ only in apiVersion. If all objects are stored in this version, no conversion is
 * needed.
 */
function storageOf(
  crd: CustomResourceDefinition,
  version: CrdVersion,
  convert: Converter | undefined,
): ResourceDefinition['storedAs'] {
  const { group, names, versions } = crd.spec;
  const stored = crd.status?.storedVersions ?? [];
  if (version.storage && stored.every((name) => name === version.name)) return undefined;
  const storage = versions.find((candidate) => candidate.storage)?.name ?? version.name;
  const as = (name: string) => (object: KubeObject) => ({ ...object, apiVersion: `${group}/${name}` });
  return {
    group,
    plural: names.plural,
    toStored: as(storage),
    fromStored: as(version.name),
    ...(convert && { convert, apiVersion: `${group}/${storage}` }),
  };
}
