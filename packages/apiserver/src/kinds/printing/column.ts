import type { KubeObject } from '@fairway/kube/object/meta';
import type { KindColumn } from '../define-kind.ts';

type Value<T extends KubeObject> = KindColumn<T>['value'];

export const AGE: KindColumn<KubeObject> = { name: 'Age', type: 'date', value: '.metadata.creationTimestamp' };

/** The creation time as text, as upstream shows it for kinds that rarely change. */
export const CREATED_AT: KindColumn<KubeObject> = {
  name: 'Created At',
  type: 'date',
  value: (object) => object.metadata.creationTimestamp ?? '<unknown>',
};

export function text<T extends KubeObject>(name: string, value: Value<T>): KindColumn<T> {
  return { name, type: 'string', value };
}

export function count<T extends KubeObject>(name: string, value: Value<T>): KindColumn<T> {
  return { name, type: 'integer', value };
}

/** Marks a column that is shown only with `-o wide`. */
export function wide<T extends KubeObject>(column: KindColumn<T>): KindColumn<T> {
  return { ...column, priority: 1 };
}
