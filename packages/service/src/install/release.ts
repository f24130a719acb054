import type { KubeObject } from '@fairway/kube/object/meta';

/** Annotation on each CRD: the Fairway release that installed it. */
export const RELEASE_ANNOTATION = 'fairway.dev/release';

/** The Fairway release that installed the CRDs; undefined for 0.1.0, which did not record it. */
export function releaseOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[RELEASE_ANNOTATION];
}

/** Whether release `a` is earlier than `b`. Compares the numbers of versions such as 0.10.2, and ignores suffixes. */
export function isEarlier(a: string, b: string): boolean {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbersOf(version: string): readonly number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);
}
