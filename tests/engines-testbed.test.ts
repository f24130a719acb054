import { describeBehaviour } from './engines/behaviour.ts';

// Runs in a separate process, because a process loads a suite only once.
describeBehaviour('the controllers on a second kube-apiserver', ([, second]) => second);
