import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { dns1123SubdomainErrors } from '@fairway/kube/object/names';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import { isSignedRequest } from '@fairway/kube/pki/certificate-request';
import { knownKeyUsages } from '@fairway/kube/pki/key-usage';
import { pemBlocks, pemOf } from '@fairway/kube/pki/pem';
import { pemOfRequest } from './signers.ts';

type Spec = CertificateSigningRequest['spec'];
type Status = NonNullable<CertificateSigningRequest['status']>;

const MIN_SECONDS = 600;
const MAX_SIGNER_NAME = 253 + 1 + 63 * 5 + 2;
const FINAL_TYPES = ['Approved', 'Denied', 'Failed'];
const STATUSES = ['False', 'True', 'Unknown'];

/** Validates a new request (pkg/apis/certificates/validation); its spec is immutable afterwards. */
export function validateNewRequest({ spec }: CertificateSigningRequest): FieldError[] {
  return [
    ...requestErrors(spec),
    ...usageErrors(spec.usages ?? []),
    ...signerErrors(spec.signerName),
    ...expirationErrors(spec),
  ];
}

function requestErrors({ request }: Spec): FieldError[] {
  const error = (detail: string): FieldError[] => [
    { type: 'FieldValueInvalid', field: 'spec.request', value: request, detail },
  ];
  try {
    return isSignedRequest(pemOfRequest(request))
      ? []
      : error('x509: signature of the request does not verify with its public key');
  } catch (cause) {
    return error(cause instanceof Error ? cause.message : String(cause));
  }
}

function usageErrors(usages: readonly string[]): FieldError[] {
  if (usages.length === 0) return [{ type: 'FieldValueRequired', field: 'spec.usages', detail: '' }];
  const errors: FieldError[] = [];
  for (const [index, value] of usages.entries()) {
    const field = `spec.usages[${index}]`;
    if (!knownKeyUsages.includes(value)) {
      const detail = `supported values: ${knownKeyUsages.map((usage) => JSON.stringify(usage)).join(', ')}`;
      errors.push({ type: 'FieldValueNotSupported', field, value, detail });
    } else if (usages.indexOf(value) < index) {
      errors.push({ type: 'FieldValueDuplicate', field, value, detail: '' });
    }
  }
  return errors;
}

function signerErrors(signerName: string): FieldError[] {
  const field = 'spec.signerName';
  if (signerName === '') return [{ type: 'FieldValueRequired', field, detail: '' }];
  const error = (detail: string): FieldError[] => [{ type: 'FieldValueInvalid', field, value: signerName, detail }];
  if (signerName === 'kubernetes.io/legacy-unknown') {
    return error('the legacy signerName is not allowed via this API version');
  }
  const [domain = '', path = '', ...rest] = signerName.split('/');
  if (path === '' || rest.length > 0) {
    return error("must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  const details = [...dns1123SubdomainErrors(domain), ...dns1123SubdomainErrors(path)];
  if (!domain.includes('.')) details.push('should be a domain with at least two segments separated by dots');
  if (signerName.length > MAX_SIGNER_NAME) details.push(`must be no more than ${MAX_SIGNER_NAME} characters`);
  return details.flatMap(error);
}

function expirationErrors({ expirationSeconds }: Spec): FieldError[] {
  if (expirationSeconds === undefined || expirationSeconds >= MIN_SECONDS) return [];
  const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [{ type: 'FieldValueInvalid', field: 'spec.expirationSeconds', value: expirationSeconds, detail }];
}

/**
 * Validates a status update: signers set the certificate once, and approvers set the conditions Approved and Denied.
 */
export function validateStatusChange(status: Status, old: Status, part: 'status' | 'approval'): FieldError[] {
  const conditions = status.conditions ?? [];
  const oldConditions = old.conditions ?? [];
  return [
    ...conditionErrors(conditions),
    ...FINAL_TYPES.flatMap((type) =>
      changeErrors(type, conditionsOfType(conditions, type), conditionsOfType(oldConditions, type), part),
    ),
    ...certificateErrors(status.certificate ?? '', old.certificate ?? '', part),
  ];
}

function conditionErrors(conditions: readonly CertificateSigningRequestCondition[]): FieldError[] {
  const errors: FieldError[] = [];
  const types = conditions.map((condition) => condition.type);
  for (const [index, { type, status }] of conditions.entries()) {
    const field = `status.conditions[${index}]`;
    if (!type) errors.push({ type: 'FieldValueRequired', field: `${field}.type`, detail: '' });
    if (types.indexOf(type) < index) {
      errors.push({ type: 'FieldValueDuplicate', field: `${field}.type`, value: type, detail: '' });
    }
    const allowed = FINAL_TYPES.includes(type) ? ['True'] : STATUSES;
    if (!status) errors.push({ type: 'FieldValueRequired', field: `${field}.status`, detail: '' });
    else if (!allowed.includes(status)) {
      const detail = `supported values: ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
      errors.push({ type: 'FieldValueNotSupported', field: `${field}.status`, value: status, detail });
    }
  }
  if (types.includes('Approved') && types.includes('Denied')) {
    const detail = 'Approved and Denied conditions are mutually exclusive';
    errors.push({ type: 'FieldValueInvalid', field: 'status.conditions', value: 'Denied', detail });
  }
  return errors;
}

function changeErrors(
  type: string,
  now: readonly CertificateSigningRequestCondition[],
  previous: readonly CertificateSigningRequestCondition[],
  part: 'status' | 'approval',
): FieldError[] {
  const error = (detail: string): FieldError[] => [{ type: 'FieldValueForbidden', field: 'status.conditions', detail }];
  if (now.length < previous.length) return error(`updates may not remove a condition of type "${type}"`);
  if (part === 'approval' || type === 'Failed') return [];
  if (now.length > previous.length) return error(`updates may not add a condition of type "${type}"`);
  return jsonEqual(now, previous) ? [] : error(`updates may not modify a condition of type "${type}"`);
}

function conditionsOfType(conditions: readonly CertificateSigningRequestCondition[], type: string) {
  return conditions.filter((condition) => condition.type === type);
}

function certificateErrors(certificate: string, old: string, part: 'status' | 'approval'): FieldError[] {
  if (certificate === old) return [];
  const field = 'status.certificate';
  if (part === 'approval') {
    return [{ type: 'FieldValueForbidden', field, detail: 'updates may not set certificate content' }];
  }
  if (old !== '') {
    return [{ type: 'FieldValueForbidden', field, detail: 'updates may not modify existing certificate content' }];
  }
  const detail = contentError(Buffer.from(certificate, 'base64').toString('latin1'));
  return detail === undefined ? [] : [{ type: 'FieldValueInvalid', field, value: '<certificate data>', detail }];
}

function contentError(pem: string): string | undefined {
  try {
    const blocks = pemBlocks(pem);
    const unexpectedType = blocks.find(({ type }) => type !== 'CERTIFICATE')?.type;
    if (unexpectedType !== undefined) return `only CERTIFICATE PEM blocks are allowed, found "${unexpectedType}"`;
    if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
    for (const block of blocks) certificateInfo(pemOf(block));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
