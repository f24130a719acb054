import { useRef, useState } from 'react';
import { Failure } from '../api/failure.ts';

export interface WriteState {
  /** Performs a write; additional calls are ignored until it completes. Resolves with whether the write succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly failure: Failure | undefined;
  readonly clearFailure: () => void;
}

/** A write that runs once per click, and its result. */
export function useWrite(): WriteState {
  const running = useRef(false);
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  return {
    isRunning,
    failure,
    clearFailure: () => setFailure(undefined),
    async run(work) {
      if (running.current) return false;
      running.current = true;
      setIsRunning(true);
      setFailure(undefined);
      try {
        await work();
        return true;
      } catch (error) {
        setFailure(error instanceof Failure ? error : new Failure(0, String(error)));
        return false;
      } finally {
        running.current = false;
        setIsRunning(false);
      }
    },
  };
}
