import { SNAPSHOT_CONTROLLER_ANNOTATION } from '@fairway/api/group';
import { type CrdColumn, type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { VolumeSnapshotClasses, VolumeSnapshotContents, VolumeSnapshots } from '@fairway/kube/kinds/volume-snapshots';
import type { ResourceType } from '@fairway/kube/object/meta';
import type { Addon, AddonObject, ObjectIdentity } from '../addon.ts';
import { objectOf, TEXT_SCHEMA } from '../schema-parts.ts';
import { CLASS_FIELDS, CONTENT_FIELDS, SNAPSHOT_FIELDS } from './schemas.ts';

/**
 * The API server requires proof of API approval for kinds in Kubernetes' own API groups:
 * https://github.com/kubernetes/enhancements/pull/1111
 */
const APPROVAL_ANNOTATION = {
  'api-approved.kubernetes.io': 'https://github.com/kubernetes-csi/external-snapshotter/pull/955',
};
const AGE_COLUMN: CrdColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

interface SnapshotKind {
  readonly type: ResourceType;
  readonly shortNames: readonly string[];
  readonly fields: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly hasStatus: boolean;
  /** Name, type and path. */
  readonly columns: readonly (readonly [string, string, string])[];
  readonly annotations?: Readonly<Record<string, string>>;
}

const SNAPSHOT_KIND: SnapshotKind = {
  type: VolumeSnapshots,
  shortNames: ['vs'],
  fields: SNAPSHOT_FIELDS,
  required: ['spec'],
  hasStatus: true,
  columns: [
    ['ReadyToUse', 'boolean', '.status.readyToUse'],
    ['SourcePVC', 'string', '.spec.source.persistentVolumeClaimName'],
    ['SourceSnapshotContent', 'string', '.spec.source.volumeSnapshotContentName'],
    ['RestoreSize', 'string', '.status.restoreSize'],
    ['SnapshotClass', 'string', '.spec.volumeSnapshotClassName'],
    ['SnapshotContent', 'string', '.status.boundVolumeSnapshotContentName'],
    ['CreationTime', 'date', '.status.creationTime'],
  ],
  annotations: { [SNAPSHOT_CONTROLLER_ANNOTATION]: 'fairway' },
};

const CONTENT_KIND: SnapshotKind = {
  type: VolumeSnapshotContents,
  shortNames: ['vsc', 'vscs'],
  fields: CONTENT_FIELDS,
  required: ['spec'],
  hasStatus: true,
  columns: [
    ['ReadyToUse', 'boolean', '.status.readyToUse'],
    ['RestoreSize', 'integer', '.status.restoreSize'],
    ['DeletionPolicy', 'string', '.spec.deletionPolicy'],
    ['Driver', 'string', '.spec.driver'],
    ['VolumeSnapshotClass', 'string', '.spec.volumeSnapshotClassName'],
    ['VolumeSnapshot', 'string', '.spec.volumeSnapshotRef.name'],
    ['VolumeSnapshotNamespace', 'string', '.spec.volumeSnapshotRef.namespace'],
  ],
};

const CLASS_KIND: SnapshotKind = {
  type: VolumeSnapshotClasses,
  shortNames: ['vsclass', 'vsclasses'],
  fields: CLASS_FIELDS,
  required: ['deletionPolicy', 'driver'],
  hasStatus: false,
  columns: [
    ['Driver', 'string', '.driver'],
    ['DeletionPolicy', 'string', '.deletionPolicy'],
  ],
};

/** Ordered so that no kind references a later one. */
const DEFINITIONS: readonly AddonObject[] = [CLASS_KIND, CONTENT_KIND, SNAPSHOT_KIND].map(definitionOf);
const SNAPSHOT_OBJECTS: readonly ObjectIdentity[] = DEFINITIONS.map(({ type, name }) => ({ type, name }));

/**
 * The definitions for volume snapshots. Fairway handles these kinds if the definition of VolumeSnapshot is Fairway's.
 * The definitions are never deleted, because that would delete all of the tenants' objects.
 */
export function volumeSnapshots(): Addon {
  return {
    name: 'volume-snapshots',
    // The API version.
    version: VolumeSnapshots.version.slice(1),
    objects: DEFINITIONS,
    workload: { type: CustomResourceDefinitions, name: nameOf(VolumeSnapshots) },
    claims: SNAPSHOT_OBJECTS,
  };
}

function nameOf({ plural, group }: ResourceType): string {
  return `${plural}.${group}`;
}

function definitionOf(kind: SnapshotKind): AddonObject {
  const { type, shortNames, fields, required, hasStatus, columns, annotations } = kind;
  const name = nameOf(type);
  const object: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: CustomResourceDefinitions.kind,
    metadata: { name, annotations: { ...APPROVAL_ANNOTATION, ...annotations } },
    spec: {
      group: type.group,
      scope: type.namespaced ? 'Namespaced' : 'Cluster',
      names: {
        plural: type.plural,
        singular: type.kind.toLowerCase(),
        kind: type.kind,
        listKind: `${type.kind}List`,
        shortNames: [...shortNames],
      },
      versions: [
        {
          name: type.version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: objectOf(
              { apiVersion: TEXT_SCHEMA, kind: TEXT_SCHEMA, metadata: { type: 'object' }, ...fields },
              required,
            ),
          },
          ...(hasStatus && { subresources: { status: {} } }),
          additionalPrinterColumns: [
            ...columns.map(([column, valueType, jsonPath]) => ({ name: column, type: valueType, jsonPath })),
            AGE_COLUMN,
          ],
        },
      ],
    },
  };
  return { type: CustomResourceDefinitions, name, object };
}
