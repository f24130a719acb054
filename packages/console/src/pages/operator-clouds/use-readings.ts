import { useEffect, useState } from 'react';
import type { Failure } from '../../api/failure.ts';
import { serverClock } from '../../api/server-clock.ts';
import { pollMetrics } from '../operator/poll-metrics.ts';
import { CLOUD_METRICS, type Reading, readingOf } from './cloud-reading.ts';

/** Reading the metrics of a thousand clusters takes a server 0.2 s. */
export const READ_EVERY_MS = 10_000;
/** Half an hour. */
const KEPT = 180;

export interface Readings {
  readonly readings: readonly Reading[];
  readonly failure: Failure | undefined;
}

/** What Fairway counts of its clouds, gathered while it is shown. */
export function useReadings(): Readings {
  const [known, setKnown] = useState<Readings>({ readings: [], failure: undefined });
  useEffect(
    () =>
      pollMetrics({
        prefix: CLOUD_METRICS,
        everyMs: READ_EVERY_MS,
        onSamples: (samples) =>
          setKnown(({ readings }) => ({
            readings: [...readings, readingOf(samples, serverClock.nowMs())].slice(-KEPT),
            failure: undefined,
          })),
        // What may not be read any more is not shown any more.
        onFailure: (failure) => setKnown(({ readings }) => ({ readings: failure.isKept ? readings : [], failure })),
      }),
    [],
  );
  return known;
}
