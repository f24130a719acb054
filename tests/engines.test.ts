import { describeBehaviour } from './engines/behaviour.ts';

describeBehaviour('the controllers on kube-apiserver', ([first]) => first);
