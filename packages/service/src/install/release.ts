import type { KubeObject } from '@fairway/kube/object/meta';

/** Annotation of each CRD: the release of Fairway that installed it. */
export const RELEASE_ANNOTATION = 'fairway.dev/release';

/** The release that installed it; undefined for one before this was noted, 0.1.0. */
export function releaseOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[RELEASE_ANNOTATION];
}

/** Whether release `a` came before `b`: numbers of a version such as 0.10.2, what follows them left aside. */
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
