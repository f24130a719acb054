import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { useSessionState } from '../session/session.ts';

/** No request is sent until the user has stopped typing for this long. */
const DEBOUNCE_MS = 300;

export interface DryRunState<V> {
  /** The latest result, which may belong to earlier input. */
  readonly result: V | undefined;
  /** Whether the result for the current input is pending. */
  readonly isAsking: boolean;
}

/** Sends a dry run of `subject` after each change, debounced; results for earlier input are discarded. */
export function useDryRun<V>(subject: string | undefined, send: (signal: AbortSignal) => Promise<V>): DryRunState<V> {
  const [latestResult, setLatestResult] = useState<{
    readonly resultSubject: string | undefined;
    readonly result: V;
  }>();
  const { state } = useConnection();
  const session = useSessionState();
  const isAway = state === 'lost' || (session.state === 'signedIn' && session.reauthentication?.hasEnded === true);
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  useEffect(() => {
    if (subject === undefined || isAway) return;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      void latest.current(aborter.signal).then(
        (result) => {
          if (!aborter.signal.aborted) setLatestResult({ resultSubject: subject, result });
        },
        () => undefined,
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [subject, isAway]);
  const isCurrent = latestResult?.resultSubject === subject;
  // The current input cannot be validated while the server is unreachable.
  return isAway && !isCurrent
    ? { result: undefined, isAsking: false }
    : { result: latestResult?.result, isAsking: subject !== undefined && !isCurrent };
}
