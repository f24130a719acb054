import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { pathSegmentNameErrors } from '@fairway/kube/object/names';
import { humanDuration } from '../../server/human-duration.ts';
import { defineKind } from '../define-kind.ts';
import { invalidValue, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

const MIN_EXPIRATION_SECONDS = 600;
const SIGNER_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[^/\s]+$/;

function specErrors({ spec }: CertificateSigningRequest): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.usages?.length) errors.push(required('spec.usages'));
  if (!spec.signerName) errors.push(required('spec.signerName'));
  else if (!SIGNER_NAME.test(spec.signerName)) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(invalidValue('spec.signerName', spec.signerName, detail));
  }
  const { expirationSeconds } = spec;
  if (expirationSeconds !== undefined && expirationSeconds < MIN_EXPIRATION_SECONDS) {
    errors.push(
      invalidValue(
        'spec.expirationSeconds',
        expirationSeconds,
        `may not specify a duration less than ${MIN_EXPIRATION_SECONDS} seconds (10 minutes)`,
      ),
    );
  }
  return errors;
}

function state({ status }: CertificateSigningRequest): string {
  const types = new Set((status?.conditions ?? []).map(({ type }) => type));
  const words: string[] = [];
  if (types.has('Approved')) words.push('Approved');
  else words.push(types.has('Denied') ? 'Denied' : 'Pending');
  if (types.has('Failed')) words.push('Failed');
  if (status?.certificate) words.push('Issued');
  return words.join(',');
}

/** The schema, the columns and the rules that need no certificate; `auth` adds the requester, approval and signing. */
export const CertificateSigningRequestKind = defineKind(CertificateSigningRequests, {
  definition: 'io.k8s.api.certificates.v1.CertificateSigningRequest',
  shortNames: ['csr'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    nameErrors: pathSegmentNameErrors,
    validate: (request, old) => [
      ...specErrors(request),
      ...(old === undefined ? [] : immutable('spec', request.spec, old.spec)),
    ],
  },
  selectableFields: { 'spec.signerName': '.spec.signerName' },
  columns: [
    AGE,
    text('SignerName', '.spec.signerName'),
    text('Requestor', '.spec.username'),
    text('RequestedDuration', ({ spec }) =>
      spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
    ),
    text('Condition', state),
  ],
});
