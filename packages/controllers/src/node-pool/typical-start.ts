import type { Machine } from '@fairway/api/kinds/machine';

/** The median time that new machines took to become Ready; undefined if none has become Ready. Pure. */
export function typicalStartMs(machines: readonly Machine[]): number | undefined {
  const starts = machines
    // A reinstallation starts long after the machine's creation.
    .filter(({ spec, status }) => spec.reinstallTime === undefined && status?.reinstall === undefined)
    .map(({ metadata, status }) => Date.parse(status?.readyTime ?? '') - Date.parse(metadata.creationTimestamp ?? ''))
    .filter((ms) => ms > 0)
    .sort((a, b) => a - b);
  return starts[Math.floor(starts.length / 2)];
}
