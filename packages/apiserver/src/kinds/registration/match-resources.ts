import type { MatchResources, ParamKind, ParamRef } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1035LabelErrors, dns1123SubdomainErrors, pathSegmentNameErrors } from '@fairway/kube/object/names';
import { setDefaults } from '../defaulting.ts';
import { duplicates, forbidden, invalidName, invalidValue, oneOf, required } from '../field-errors.ts';
import { labelSelectorErrors } from '../validation-common.ts';
import { ruleErrors } from './webhook-validation.ts';

/** Common fields of admission policies and bindings of both kinds: matching and parameters. */

export function defaultMatch(match: MatchResources | undefined): void {
  if (match === undefined) return;
  setDefaults(match, { matchPolicy: 'Equivalent' });
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) {
    setDefaults(rule, { scope: '*' });
  }
}

/** Errors in `matchConstraints`, which are required: without them a policy would match nothing. */
export function constraintErrors(path: string, match: MatchResources | undefined): FieldError[] {
  if (match === undefined) return [required(path)];
  const missing = match.resourceRules?.length ? [] : [required(`${path}.resourceRules`)];
  return [...matchErrors(path, match), ...missing];
}

export function matchErrors(path: string, match: MatchResources | undefined): FieldError[] {
  if (match === undefined) return [];
  const lists = { resourceRules: match.resourceRules, excludeResourceRules: match.excludeResourceRules };
  return [
    ...oneOf(`${path}.matchPolicy`, match.matchPolicy, ['Equivalent', 'Exact'], true),
    ...labelSelectorErrors(`${path}.namespaceSelector`, match.namespaceSelector),
    ...labelSelectorErrors(`${path}.objectSelector`, match.objectSelector),
    ...Object.entries(lists).flatMap(([field, rules = []]) =>
      rules.flatMap((rule, index) => {
        const at = `${path}.${field}[${index}]`;
        const { resourceNames: names = [] } = rule;
        return [
          ...names.flatMap((name, each) =>
            invalidName(`${at}.resourceNames[${each}]`, name, pathSegmentNameErrors(name)),
          ),
          ...duplicates(names, (each) => `${at}.resourceNames[${each}]`),
          ...ruleErrors(at, rule),
        ];
      }),
    ),
  ];
}

export function paramKindErrors(path: string, paramKind: ParamKind | undefined): FieldError[] {
  if (paramKind === undefined) return [];
  const { apiVersion = '', kind = '' } = paramKind;
  return [
    ...apiVersionErrors(`${path}.apiVersion`, apiVersion),
    ...(kind === ''
      ? [required(`${path}.kind`)]
      : dns1035LabelErrors(kind.toLowerCase()).map((detail) =>
          invalidValue(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${detail}`),
        )),
  ];
}

function apiVersionErrors(field: string, apiVersion: string): FieldError[] {
  if (apiVersion === '') return [required(field)];
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? parts[0] : undefined;
  return [
    ...(group ? invalidName(field, group, dns1123SubdomainErrors(group)) : []),
    ...(version === ''
      ? [invalidValue(field, apiVersion, 'version must be specified')]
      : invalidName(field, version, dns1035LabelErrors(version))),
  ];
}

export function paramRefErrors(path: string, paramRef: ParamRef | undefined): FieldError[] {
  if (paramRef === undefined) return [];
  const { name = '', selector, parameterNotFoundAction } = paramRef;
  const hasBoth = name !== '' && selector !== undefined;
  const exclusiveMessage = 'name and selector are mutually exclusive';
  return [
    ...(name === '' ? [] : invalidName(`${path}.name`, name, pathSegmentNameErrors(name))),
    ...labelSelectorErrors(`${path}.selector`, selector),
    ...(hasBoth ? [forbidden(`${path}.name`, exclusiveMessage), forbidden(`${path}.selector`, exclusiveMessage)] : []),
    ...(name === '' && selector === undefined ? [required(path, 'one of name or selector must be specified')] : []),
    ...oneOf(`${path}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow'], true),
  ];
}

export function policyNameErrors(field: string, name: string | undefined): FieldError[] {
  return name ? invalidName(field, name, dns1123SubdomainErrors(name)) : [required(field)];
}
