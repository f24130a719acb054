import { describeBehaviour } from './engines/behaviour.ts';

// In a separate process, because a process loads a suite only once.
describeBehaviour('the controllers on a second kube-apiserver', ([, second]) => second);
