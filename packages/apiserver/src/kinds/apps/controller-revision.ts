import type { ControllerRevision } from '@fairway/kube/kinds/generated/types';
import { ControllerRevisions } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { nonNegative } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

function controller({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller);
  if (owner === undefined) return '<none>';
  const [group = '', version] = owner.apiVersion.split('/');
  const kind = owner.kind.toLowerCase();
  return version === undefined ? `${kind}/${owner.name}` : `${kind}.${group}/${owner.name}`;
}

export const ControllerRevisionKind = defineKind(ControllerRevisions, {
  definition: 'io.k8s.api.apps.v1.ControllerRevision',
  hasGeneration: false,
  strategy: {
    validate: (revision, old) => [
      ...nonNegative('revision', revision.revision),
      ...(old === undefined ? [] : immutable('data', revision.data, old.data)),
    ],
  },
  columns: [text('Controller', controller), text('Revision', '.revision'), AGE],
});
