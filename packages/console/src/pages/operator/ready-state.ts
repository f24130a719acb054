import type { Condition } from '@fairway/kube/object/meta';

export interface ReadyState {
  readonly state: 'ready' | 'attention' | 'progress';
  readonly reason: string;
  readonly message: string;
  readonly since: string | undefined;
}

/** The state of the Ready condition; unknown if there is none. */
export function readyOf({
  status,
}: {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}): ReadyState {
  const found = status?.conditions?.find(({ type }) => type === 'Ready');
  if (found === undefined) return { state: 'progress', reason: '', message: '', since: undefined };
  const { status: isReady, reason, message, lastTransitionTime: since } = found;
  const state = isReady === 'True' ? 'ready' : isReady === 'False' ? 'attention' : 'progress';
  return { state, reason, message, since };
}
