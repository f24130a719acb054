import type { Machine } from '@fairway/api/kinds/machine';

/** How long a new machine of these took to become Ready, in the middle; undefined while none has. Pure. */
export function typicalStartMs(machines: readonly Machine[]): number | undefined {
  const starts = machines
    // A reinstallation begins long after the machine was made.
    .filter(({ spec, status }) => spec.reinstallTime === undefined && status?.reinstall === undefined)
    .map(({ metadata, status }) => Date.parse(status?.readyTime ?? '') - Date.parse(metadata.creationTimestamp ?? ''))
    .filter((ms) => ms > 0)
    .sort((a, b) => a - b);
  return starts[Math.floor(starts.length / 2)];
}
