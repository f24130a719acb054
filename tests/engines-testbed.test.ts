import { describeBehaviour } from './engines/behaviour.ts';

// In a separate process: a suite is loaded once in each.
describeBehaviour('the controllers on a second kube-apiserver', ([, second]) => second);
