import { useEffect, useState } from 'react';
import type { Failure } from '../../api/failure.ts';
import { serverClock } from '../../api/server-clock.ts';
import { pollMetrics } from '../operator/poll-metrics.ts';
import { CLOUD_METRICS, type Reading, readingOf } from './cloud-reading.ts';

/** Reading the metrics of a thousand clusters takes a server 0.2 s. */
export const READ_INTERVAL_MS = 10_000;
/** Half an hour. */
const MAX_READINGS = 180;

export interface Readings {
  readonly readings: readonly Reading[];
  readonly failure: Failure | undefined;
}

/** Fairway's metrics of its clouds, collected while the page is displayed. */
export function useReadings(): Readings {
  const [known, setKnown] = useState<Readings>({ readings: [], failure: undefined });
  useEffect(
    () =>
      pollMetrics({
        prefix: CLOUD_METRICS,
        everyMs: READ_INTERVAL_MS,
        onSamples: (samples) =>
          setKnown(({ readings }) => ({
            readings: [...readings, readingOf(samples, serverClock.nowMs())].slice(-MAX_READINGS),
            failure: undefined,
          })),
        // Data that the user may no longer read must disappear.
        onFailure: (failure) => setKnown(({ readings }) => ({ readings: failure.keepsData ? readings : [], failure })),
      }),
    [],
  );
  return known;
}
