import type { ParamKind, ParamRef } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { text } from '../printing/column.ts';

/** Columns of both kinds of admission policies, and of their bindings. */

interface Policy extends KubeObject {
  readonly spec: { readonly paramKind?: ParamKind };
}

interface Binding extends KubeObject {
  readonly spec: { readonly paramRef?: ParamRef };
}

export const PARAM_KIND = text<Policy>('ParamKind', ({ spec }) =>
  spec.paramKind === undefined ? '<unset>' : `${spec.paramKind.apiVersion}/${spec.paramKind.kind}`,
);

export const PARAM_REF = text<Binding>('ParamRef', ({ spec }) => {
  if (spec.paramRef === undefined) return '<unset>';
  const { name, namespace } = spec.paramRef;
  return name ? [namespace, name].filter(Boolean).join('/') : '*';
});
