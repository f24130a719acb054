import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { useSessionState } from '../session/session.ts';

/** As long as somebody types, nothing is asked. */
const PAUSE_MS = 300;

export interface Asked<V> {
  /** The latest answer, which may be about what was written before. */
  readonly verdict: V | undefined;
  /** Whether an answer about what is written now is waited for. */
  readonly isAsking: boolean;
}

/** Asks about `subject` whenever it has changed and then stayed for a moment; an answer about what was written before is dropped. */
export function useVerdict<V>(subject: string | undefined, ask: (signal: AbortSignal) => Promise<V>): Asked<V> {
  const [answer, setAnswer] = useState<{ readonly about: string | undefined; readonly verdict: V }>();
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
        (verdict) => {
          if (!aborter.signal.aborted) setAnswer({ about: subject, verdict });
        },
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [subject, isAway]);
  return { verdict: answer?.verdict, isAsking: subject !== undefined && answer?.about !== subject };
}
