import type { Definitions, Schema } from './schema.ts';

const PREFIX = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export const OBJECT_META = `${PREFIX}.ObjectMeta`;
export const LIST_META = `${PREFIX}.ListMeta`;

const string: Schema = { type: 'string' };
const boolean: Schema = { type: 'boolean' };
const stringMap: Schema = { type: 'object', additionalProperties: string };

function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const time: Schema = { type: 'string', format: 'date-time' };
const int64: Schema = { type: 'integer', format: 'int64' };

/** Definitions that every kind needs, added for kinds whose own definitions omit them. */
export const META_DEFINITIONS: Definitions = new Map<string, Schema>([
  [
    OBJECT_META,
    {
      type: 'object',
      description:
        'ObjectMeta is metadata that all persisted resources must have, which includes all objects users must create.',
      properties: {
        annotations: described(stringMap, 'Unstructured values that tools set and read; not queryable.'),
        creationTimestamp: described(time, 'When the server created the object; set by the server.'),
        deletionGracePeriodSeconds: described(
          int64,
          'Seconds that the object may take to terminate gracefully; set by the server.',
        ),
        deletionTimestamp: described(time, 'When deletion was requested; set by the server.'),
        finalizers: {
          type: 'array',
          items: string,
          description: 'Names that must be removed, each by its owner, before the object is removed.',
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-patch-strategy': 'merge',
        },
        generateName: described(string, 'Prefix of the name that the server generates if no name is specified.'),
        generation: described(int64, 'Sequence number of the desired state; set by the server.'),
        labels: described(stringMap, 'Keys and values by which objects are organised and selected.'),
        managedFields: {
          type: 'array',
          items: { $ref: `${PREFIX}.ManagedFieldsEntry` },
          description: 'Which field manager set which fields; maintained by the server.',
          'x-kubernetes-list-type': 'atomic',
        },
        name: described(string, 'Name, unique within a namespace; cannot be changed.'),
        namespace: described(string, 'Namespace of the object; cannot be changed.'),
        ownerReferences: {
          type: 'array',
          items: { $ref: `${PREFIX}.OwnerReference` },
          description: 'Objects that this one depends on: when all of them are deleted, this one is deleted too.',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['uid'],
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'uid',
        },
        resourceVersion: described(string, 'Opaque version of the object; changes with every write.'),
        selfLink: described(string, 'Not used any more.'),
        uid: described(string, 'Unique in time and space; set by the server.'),
      },
    },
  ],
  [
    `${PREFIX}.OwnerReference`,
    {
      type: 'object',
      description: 'OwnerReference identifies an owning object in the same namespace, or a cluster-scoped one.',
      required: ['apiVersion', 'kind', 'name', 'uid'],
      properties: {
        apiVersion: described(string, 'API version of the owner.'),
        blockOwnerDeletion: described(
          boolean,
          'Keeps an owner that is being deleted in the foreground until this object is deleted.',
        ),
        controller: described(boolean, 'Whether the owner is the managing controller.'),
        kind: described(string, 'Kind of the owner.'),
        name: described(string, 'Name of the owner.'),
        uid: described(string, 'UID of the owner.'),
      },
      'x-kubernetes-map-type': 'atomic',
    },
  ],
  [
    `${PREFIX}.ManagedFieldsEntry`,
    {
      type: 'object',
      description: 'ManagedFieldsEntry lists the fields that one field manager has set with one kind of operation.',
      properties: {
        apiVersion: described(string, 'API version that the fields belong to.'),
        fieldsType: described(string, 'Always FieldsV1.'),
        fieldsV1: { $ref: `${PREFIX}.FieldsV1` },
        manager: described(string, 'Name of the field manager.'),
        operation: described(string, 'Apply or Update.'),
        subresource: described(string, 'Subresource that was written, empty for the object itself.'),
        time: described(time, 'When the manager last changed the fields that it owns.'),
      },
    },
  ],
  [
    `${PREFIX}.FieldsV1`,
    {
      type: 'object',
      description: 'FieldsV1 is a set of fields as a trie.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  [
    LIST_META,
    {
      type: 'object',
      description: 'ListMeta is the metadata of a list.',
      properties: {
        continue: described(string, 'Token for the next page; empty on the last one.'),
        remainingItemCount: described(int64, 'Number of objects after this page, if known.'),
        resourceVersion: described(string, 'Version of the list, from which a watch can start.'),
        selfLink: described(string, 'Not used any more.'),
      },
    },
  ],
]);
