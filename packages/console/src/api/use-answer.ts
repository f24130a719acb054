import { useEffect, useState } from 'react';
import { Failure } from './failure.ts';
import { request } from './request.ts';

export interface Question {
  /** Path of the subresource; undefined to request nothing. */
  readonly path: string | undefined;
  readonly kind: string;
  readonly everyMs: number;
}

export interface Answered<S> {
  readonly known: S | undefined;
  /** Why there is no newer response. */
  readonly failure: Failure | undefined;
}

const NOTHING = { known: undefined, failure: undefined };

/** The response of a subresource of Fairway's API, polled while the component is displayed. */
export function useAnswer<S>({ path, kind, everyMs }: Question): Answered<S> {
  const [answered, setAnswered] = useState<Answered<S> & { readonly path?: string }>(NOTHING);
  useEffect(() => {
    if (path === undefined) return;
    const ending = new AbortController();
    const { signal } = ending;
    const body = { apiVersion: 'fairway.dev/v1alpha1', kind, spec: {} };
    let isAsking = false;
    const ask = async () => {
      if (document.visibilityState === 'hidden' || isAsking) return;
      isAsking = true;
      try {
        const { status } = await request<{ readonly status?: S }>(path, { method: 'POST', body, signal });
        setAnswered({ path, known: status, failure: undefined });
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(0, String(error));
        setAnswered((before) => ({
          path,
          known: failure.isKept && before.path === path ? before.known : undefined,
          failure,
        }));
      } finally {
        isAsking = false;
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), everyMs);
    return () => {
      clearInterval(timer);
      ending.abort();
    };
  }, [path, kind, everyMs]);
  // A response about another object must not be displayed for this one.
  return answered.path === path ? answered : NOTHING;
}
