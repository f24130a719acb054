import { Failure } from '../../api/failure.ts';
import { open } from '../../api/request.ts';
import { type Sample, samplesOf } from './metrics-text.ts';

export interface MetricsPoll {
  /** Of the names of metrics. */
  readonly prefix: string;
  readonly everyMs: number;
  readonly onSamples: (samples: readonly Sample[]) => void;
  readonly onFailure: (failure: Failure) => void;
}

/** Reads Fairway's metrics now and again, while the page is looked at and until the returned function is called. */
export function pollMetrics({ prefix, everyMs, onSamples, onFailure }: MetricsPoll): () => void {
  const ending = new AbortController();
  const { signal } = ending;
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
    ending.abort();
  };
}
