import type { APIService } from '@fairway/kube/kinds/generated/types';
import { APIServices } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1035LabelErrors, dns1123SubdomainErrors, pathSegmentNameErrors } from '@fairway/kube/object/names';
import { defineKind } from '../define-kind.ts';
import { invalidName, invalidValue, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;

function service({ spec }: APIService): string {
  return spec.service === undefined ? 'Local' : `${spec.service.namespace}/${spec.service.name}`;
}

function available({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'True' : `${condition.status} (${condition.reason ?? ''})`;
}

/** The rules and messages of kube-aggregator (pkg/apis/apiregistration/validation). */
function errorsOf({ metadata, spec }: APIService): FieldError[] {
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  const expectedName = `${version}.${group}`;
  const name = metadata.name ?? '';
  return [
    ...(name === expectedName || pathSegmentNameErrors(name).length > 0
      ? []
      : [
          invalidValue(
            'metadata.name',
            name,
            `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expectedName)}`,
          ),
        ]),
    ...(group === '' && version !== 'v1'
      ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')]
      : []),
    ...(group === '' ? [] : invalidName('spec.group', group, dns1123SubdomainErrors(group))),
    ...invalidName('spec.version', version, dns1035LabelErrors(version)),
    ...priorityErrors('spec.groupPriorityMinimum', groupPriorityMinimum, MAX_GROUP_PRIORITY),
    ...priorityErrors('spec.versionPriority', versionPriority, MAX_VERSION_PRIORITY),
    ...(spec.service === undefined ? localErrors(spec) : serviceErrors(spec)),
  ];
}

function priorityErrors(field: string, value: number | undefined, max: number): FieldError[] {
  if (value !== undefined && value > 0 && value <= max) return [];
  return [invalidValue(field, value ?? 0, `must be positive and less than ${max}`)];
}

function localErrors({ caBundle, insecureSkipTLSVerify }: APIService['spec']): FieldError[] {
  const size = Buffer.from(caBundle ?? '', 'base64').length;
  return [
    ...(size > 0 ? [invalidValue('spec.caBundle', `${size} bytes`, 'local APIServices may not have a caBundle')] : []),
    ...(insecureSkipTLSVerify
      ? [invalidValue('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
  ];
}

function serviceErrors({ service, caBundle, insecureSkipTLSVerify }: APIService['spec']): FieldError[] {
  const { namespace, name, port = 0 } = service ?? {};
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  return [
    ...(namespace ? [] : [required('spec.service.namespace')]),
    ...(name ? [] : [required('spec.service.name')]),
    ...(isPort
      ? []
      : [invalidValue('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...(insecureSkipTLSVerify && caBundle
      ? [invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
}

/** The API server that serves a group version; implemented by packages/apiserver/src/aggregation. */
export const APIServiceKind = defineKind(APIServices, {
  definition: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService',
  categories: ['api-extensions'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default({ spec }) {
      if (spec.service) spec.service.port ??= 443;
    },
    nameErrors: pathSegmentNameErrors,
    prepareForCreate(service) {
      service.status = {};
    },
    validate: (service) => errorsOf(service),
  },
  columns: [text('Service', service), text('Available', available), AGE],
});
