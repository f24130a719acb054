import { CSIDrivers, CSINodes, CSIStorageCapacities, VolumeAttachments } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { duplicates, required } from '../field-errors.ts';
import { AGE, CREATED_AT, count, text } from '../printing/column.ts';
import { canonicalQuantity } from '../quantities.ts';
import { immutable } from '../validation-common.ts';

export const CSIDriverKind = defineKind(CSIDrivers, {
  definition: 'io.k8s.api.storage.v1.CSIDriver',
  hasGeneration: false,
  strategy: {
    default({ spec }) {
      spec.attachRequired ??= true;
      spec.podInfoOnMount ??= false;
      spec.storageCapacity ??= false;
      spec.requiresRepublish ??= false;
      spec.seLinuxMount ??= false;
      spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
      if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
    },
    validate: ({ spec }, old) =>
      old === undefined
        ? []
        : [
            ...immutable('spec.attachedRequired', spec.attachRequired, old.spec.attachRequired),
            ...immutable('spec.volumeLifecycleModes', spec.volumeLifecycleModes, old.spec.volumeLifecycleModes),
          ],
  },
  columns: [
    { name: 'AttachRequired', type: 'boolean', value: '.spec.attachRequired' },
    { name: 'PodInfoOnMount', type: 'boolean', value: '.spec.podInfoOnMount' },
    { name: 'StorageCapacity', type: 'boolean', value: '.spec.storageCapacity' },
    text('TokenRequests', ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>'),
    { name: 'RequiresRepublish', type: 'boolean', value: '.spec.requiresRepublish' },
    text('Modes', ({ spec }) => spec.volumeLifecycleModes?.join(',') || '<none>'),
    AGE,
  ],
});

export const CSINodeKind = defineKind(CSINodes, {
  definition: 'io.k8s.api.storage.v1.CSINode',
  hasGeneration: false,
  strategy: {
    default({ spec }) {
      spec.drivers ??= [];
    },
    validate: ({ spec }) => [
      ...(spec.drivers ?? []).flatMap(({ name, nodeID }, index) => [
        ...(name ? [] : [required(`spec.drivers[${index}].name`)]),
        ...(nodeID ? [] : [required(`spec.drivers[${index}].nodeID`)]),
      ]),
      ...duplicates(
        (spec.drivers ?? []).map(({ name }) => name),
        (index) => `spec.drivers[${index}].name`,
      ),
    ],
  },
  columns: [count('Drivers', ({ spec }) => spec.drivers?.length ?? 0), AGE],
});

export const VolumeAttachmentKind = defineKind(VolumeAttachments, {
  definition: 'io.k8s.api.storage.v1.VolumeAttachment',
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    prepareForCreate(attachment) {
      attachment.status = { attached: false };
    },
    validate: ({ spec }, old) => [
      ...(spec.attacher ? [] : [required('spec.attacher')]),
      ...(spec.nodeName ? [] : [required('spec.nodeName')]),
      ...(spec.source?.persistentVolumeName || spec.source?.inlineVolumeSpec
        ? []
        : [required('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName')]),
      ...(old === undefined ? [] : immutable('spec', spec, old.spec)),
    ],
  },
  columns: [
    text('Attacher', '.spec.attacher'),
    text('PV', '.spec.source.persistentVolumeName'),
    text('Node', '.spec.nodeName'),
    { name: 'Attached', type: 'boolean', value: ({ status }) => status?.attached ?? false },
    AGE,
  ],
});

export const CSIStorageCapacityKind = defineKind(CSIStorageCapacities, {
  definition: 'io.k8s.api.storage.v1.CSIStorageCapacity',
  hasGeneration: false,
  strategy: {
    default(object) {
      if (object.capacity !== undefined) object.capacity = canonicalQuantity(object.capacity);
      if (object.maximumVolumeSize !== undefined)
        object.maximumVolumeSize = canonicalQuantity(object.maximumVolumeSize);
    },
    validate: ({ storageClassName, nodeTopology }, old) =>
      old === undefined
        ? []
        : [
            ...immutable('storageClassName', storageClassName, old.storageClassName),
            ...immutable('nodeTopology', nodeTopology, old.nodeTopology),
          ],
  },
  columns: [CREATED_AT],
});
