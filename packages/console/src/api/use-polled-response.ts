import { useEffect, useState } from 'react';
import { Failure } from './failure.ts';
import { request } from './request.ts';

export interface PollRequest {
  /** Path of the subresource; undefined to request nothing. */
  readonly path: string | undefined;
  readonly kind: string;
  readonly intervalMs: number;
}

export interface PolledResponse<S> {
  readonly known: S | undefined;
  /** Why there is no newer response. */
  readonly failure: Failure | undefined;
}

const EMPTY_RESPONSE = { known: undefined, failure: undefined };

/** The response of a subresource of Fairway's API, polled while the component is displayed. */
export function usePolledResponse<S>({ path, kind, intervalMs }: PollRequest): PolledResponse<S> {
  const [response, setResponse] = useState<PolledResponse<S> & { readonly path?: string }>(EMPTY_RESPONSE);
  useEffect(() => {
    if (path === undefined) return;
    const aborter = new AbortController();
    const { signal } = aborter;
    const body = { apiVersion: 'fairway.dev/v1alpha1', kind, spec: {} };
    let isRequesting = false;
    const poll = async () => {
      if (document.visibilityState === 'hidden' || isRequesting) return;
      isRequesting = true;
      try {
        const { status } = await request<{ readonly status?: S }>(path, { method: 'POST', body, signal });
        setResponse({ path, known: status, failure: undefined });
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(0, String(error));
        setResponse((previous) => ({
          path,
          known: failure.keepsData && previous.path === path ? previous.known : undefined,
          failure,
        }));
      } finally {
        isRequesting = false;
      }
    };
    void poll();
    const timer = setInterval(() => void poll(), intervalMs);
    return () => {
      clearInterval(timer);
      aborter.abort();
    };
  }, [path, kind, intervalMs]);
  // A response about another object must not be displayed for this one.
  return response.path === path ? response : EMPTY_RESPONSE;
}
