import { useRef, useState } from 'react';
import { Failure } from '../api/failure.ts';

export interface Write {
  /** Does something at the API; another one is refused meanwhile. Resolves with whether it was done. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly failure: Failure | undefined;
  readonly forget: () => void;
}

/** Something that is written once for a press of a button, and what became of it. */
export function useWrite(): Write {
  const running = useRef(false);
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  return {
    isRunning,
    failure,
    forget: () => setFailure(undefined),
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
