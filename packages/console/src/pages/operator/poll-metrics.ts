import { Failure } from '../../api/failure.ts';
import { open } from '../../api/request.ts';
import { type Sample, samplesOf } from './metrics-text.ts';

export interface MetricsPoll {
  /** Prefix of the metrics' names. */
  readonly prefix: string;
  readonly everyMs: number;
  readonly onSamples: (samples: readonly Sample[]) => void;
  readonly onFailure: (failure: Failure) => void;
}

/** Polls Fairway's metrics while the page is visible, until the returned function is called. */
export function pollMetrics({ prefix, everyMs, onSamples, onFailure }: MetricsPoll): () => void {
  const aborter = new AbortController();
  const { signal } = aborter;
  const read = async () => {
    if (document.visibilityState === 'hidden') return;
    try {
      const response = await open('/metrics', { accept: 'text/plain', signal });
      onSamples(samplesOf(await response.text(), prefix));
    } catch (error) {
      if (!signal.aborted) onFailure(error instanceof Failure ? error : new Failure(0, String(error)));
    }
  };
  void read();
  const timer = setInterval(() => void read(), everyMs);
  return () => {
    clearInterval(timer);
    aborter.abort();
  };
}
