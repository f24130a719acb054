import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { useSessionState } from '../session/session.ts';

/** No request is sent while the user types. */
const PAUSE_MS = 300;

export interface Asked<V> {
  /** The latest result, which may be about earlier input. */
  readonly result: V | undefined;
  /** Whether the result for the current input is pending. */
  readonly isAsking: boolean;
}

/** Sends a dry run of `subject` after each change, debounced; results for earlier input are dropped. */
export function useDryRun<V>(subject: string | undefined, ask: (signal: AbortSignal) => Promise<V>): Asked<V> {
  const [answer, setAnswer] = useState<{ readonly about: string | undefined; readonly result: V }>();
  const { state } = useConnection();
  const session = useSessionState();
  const isAway = state === 'lost' || (session.state === 'signedIn' && session.again?.hasEnded === true);
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    if (subject === undefined || isAway) return;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      void latest.current(aborter.signal).then(
        (result) => {
          if (!aborter.signal.aborted) setAnswer({ about: subject, result });
        },
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [subject, isAway]);
  const isAnswered = answer?.about === subject;
  // Nothing is known about the current input while the server cannot be asked.
  return isAway && !isAnswered
    ? { result: undefined, isAsking: false }
    : { result: answer?.result, isAsking: subject !== undefined && !isAnswered };
}
