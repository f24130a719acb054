import { formatTime } from '../../clock.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../kinds/generated/types.ts';
import { CertificateSigningRequests } from '../../kinds/resources.ts';
import { invalid } from '../../object/field-error.ts';
import type { KubeObject } from '../../object/meta.ts';
import { humanDuration } from '../../server/human-duration.ts';
import type {
  CustomSubresource,
  RequestContext,
  ResourceDefinition,
  SubresourceRequest,
} from '../../server/resource.ts';
import { validateNewRequest, validateStatusChange } from './certificate-validation.ts';

const approval: CustomSubresource = {
  kind: { group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest' },
  schema: { $ref: 'io.k8s.api.certificates.v1.CertificateSigningRequest' },
  get: ({ parent }) => Promise.resolve(parent),
  update: updateApproval,
};

/** certificates.k8s.io/v1 CertificateSigningRequest. Use it together with `createCertificateSigningAdmission`. */
export const certificateSigningRequests: ResourceDefinition = {
  ...CertificateSigningRequests,
  singular: 'certificatesigningrequest',
  shortNames: ['csr'],
  schema: { $ref: 'io.k8s.api.certificates.v1.CertificateSigningRequest' },
  hasStatus: true,
  hasGeneration: false,
  selectableFields: { 'spec.signerName': '.spec.signerName' },
  subresources: { approval },
  strategy: {
    nameErrors: () => [],
    prepareForCreate: (object, context) => stampRequester(object as CertificateSigningRequest, context),
    // What was asked for never changes: an approver must know what he approved.
    prepareForUpdate: (object, old) => Object.assign(object, { spec: (old as CertificateSigningRequest).spec }),
    validate: (object, old) => (old === undefined ? validateNewRequest(object as CertificateSigningRequest) : []),
    validateStatus: (object, old) => {
      const [now, before] = [object, old] as [CertificateSigningRequest, CertificateSigningRequest];
      return validateStatusChange(now.status ?? {}, before.status ?? {}, 'status');
    },
  },
  columns: [
    { name: 'Age', type: 'date', value: '.metadata.creationTimestamp' },
    { name: 'SignerName', type: 'string', value: '.spec.signerName' },
    { name: 'Requestor', type: 'string', value: '.spec.username' },
    { name: 'RequestedDuration', type: 'string', value: requestedDuration },
    { name: 'Condition', type: 'string', value: (object) => stateOf(object as CertificateSigningRequest) },
  ],
};

/** Who asks is what the server knows of him, never what he says. */
function stampRequester(request: CertificateSigningRequest, { user }: RequestContext): void {
  const { username: _user, uid: _uid, groups: _groups, extra: _extra, ...asked } = request.spec;
  const extra = Object.entries(user.extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  request.spec = {
    ...asked,
    username: user.username,
    groups: [...user.groups],
    ...(user.uid !== undefined && { uid: user.uid }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
  request.status = {};
}

/** `kubectl certificate approve` and `deny`: only conditions are written, whatever else is sent. */
async function updateApproval(request: SubresourceRequest): Promise<KubeObject> {
  const { body, parent, nowMs } = request;
  const [sent, stored] = [body, parent] as [CertificateSigningRequest, CertificateSigningRequest];
  const before = stored.status ?? {};
  const conditions = (sent.status?.conditions ?? []).map((condition) =>
    timestamped(condition, before.conditions ?? [], nowMs),
  );
  // A certificate that is sent along must be the stored one: dropping it in silence would hide a mistake.
  const status = { ...before, conditions };
  const sentCertificate = sent.status?.certificate ?? before.certificate;
  const errors = validateStatusChange(
    { ...status, ...(sentCertificate && { certificate: sentCertificate }) },
    before,
    'approval',
  );
  if (errors.length > 0) throw invalid(CertificateSigningRequests, stored.metadata.name ?? '', errors);
  const { resourceVersion: _stored, ...metadata } = stored.metadata;
  const { resourceVersion } = sent.metadata;
  return request.replace({
    ...stored,
    metadata: { ...metadata, ...(resourceVersion && { resourceVersion }) },
    status,
  } as KubeObject);
}

function timestamped(
  condition: CertificateSigningRequestCondition,
  before: readonly CertificateSigningRequestCondition[],
  nowMs: number,
): CertificateSigningRequestCondition {
  const known = before.find(({ type, status }) => type === condition.type && status === condition.status);
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? formatTime(nowMs),
    lastTransitionTime: condition.lastTransitionTime ?? known?.lastTransitionTime ?? formatTime(nowMs),
  };
}

/** `Pending`, `Approved,Issued`, `Denied`… as kubectl shows it. */
function stateOf({ status }: CertificateSigningRequest): string {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type) ?? false;
  const state = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return [state, ...(has('Failed') ? ['Failed'] : []), ...(status?.certificate ? ['Issued'] : [])].join(',');
}

function requestedDuration(object: KubeObject): string {
  const { expirationSeconds } = (object as CertificateSigningRequest).spec;
  return expirationSeconds === undefined ? '<none>' : humanDuration(expirationSeconds * 1000);
}
