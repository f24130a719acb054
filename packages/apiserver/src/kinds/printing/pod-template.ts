import type { Container } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { KindColumn } from '../define-kind.ts';
import { text, wide } from './column.ts';

/** The wide columns of every kind that creates pods: containers and images. */
export function containerColumns<T extends KubeObject>(
  containersOf: (object: T) => readonly Container[],
): KindColumn<T>[] {
  return [
    wide(text('Containers', (object) => join(containersOf(object).map(({ name }) => name)))),
    wide(text('Images', (object) => join(containersOf(object).map(({ image = '' }) => image)))),
  ];
}

function join(names: readonly string[]): string {
  return names.join(',');
}
