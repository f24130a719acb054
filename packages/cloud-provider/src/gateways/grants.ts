import { GATEWAY_GROUP, type ReferenceGrant } from './kinds.ts';

interface Reference {
  /** A kind in the Gateway API group. */
  readonly fromKind: 'Gateway' | 'HTTPRoute';
  readonly fromNamespace: string;
  /** A kind in the core group. */
  readonly toKind: 'Secret' | 'Service';
  readonly toNamespace: string;
  readonly toName: string;
}

/**
 * Whether a reference stays within its namespace or is allowed by a grant in the other namespace. Pure.
 * https://gateway-api.sigs.k8s.io/reference/spec/#referencegrant
 */
export function isPermitted(
  { fromKind, fromNamespace, toKind, toNamespace, toName }: Reference,
  grantsOf: (namespace: string) => readonly ReferenceGrant[],
): boolean {
  if (fromNamespace === toNamespace) return true;
  return grantsOf(toNamespace).some(
    ({ from, to }) =>
      from.some((each) => each.group === GATEWAY_GROUP && each.kind === fromKind && each.namespace === fromNamespace) &&
      to.some((each) => each.group === '' && each.kind === toKind && (each.name === undefined || each.name === toName)),
  );
}
