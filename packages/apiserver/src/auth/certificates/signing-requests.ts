import { formatTime } from '@fairway/base/clock';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import { badRequest } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { cloneJson } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { kindOf } from '../../kinds/builtin-kinds.ts';
import type {
  CustomSubresource,
  RequestContext,
  ResourceDefinition,
  SubresourceRequest,
} from '../../server/resource.ts';
import { validateNewRequest, validateStatusChange } from './certificate-validation.ts';

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastUpdateTime: z.string().nullish(),
  lastTransitionTime: z.string().nullish(),
});
type Condition = z.infer<typeof Condition>;

/** The fields used from an approval update. */
const Approval = z.object({
  status: z.object({ conditions: z.array(Condition).nullish(), certificate: z.string().nullish() }).nullish(),
});

const approval: CustomSubresource = {
  kind: { group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest' },
  schema: { $ref: 'io.k8s.api.certificates.v1.CertificateSigningRequest' },
  get: ({ parent }) => Promise.resolve(parent),
  update: updateApproval,
};

const kind = kindOf(CertificateSigningRequests);

/** certificates.k8s.io/v1 CertificateSigningRequest. Use it together with `createCertificateSigningAdmission`. */
export const certificateSigningRequests: ResourceDefinition = {
  ...kind,
  subresources: { approval },
  strategy: {
    ...kind.strategy,
    nameErrors: () => [],
    prepareForCreate: (object, context) => stampRequester(object as CertificateSigningRequest, context),
    // The spec is immutable, which ensures that approvers know what they are approving.
    prepareForUpdate: (object, old) => Object.assign(object, { spec: (old as CertificateSigningRequest).spec }),
    validate: (object, old) => (old === undefined ? validateNewRequest(object as CertificateSigningRequest) : []),
    prepareForStatusUpdate: (object, old, { nowMs }) => {
      const { status } = object as CertificateSigningRequest;
      const previous = (old as CertificateSigningRequest).status?.conditions ?? [];
      if (status?.conditions) status.conditions = status.conditions.map((one) => withTimestamps(one, previous, nowMs));
    },
    validateStatus: (object, old) => {
      const [now, previous] = [object, old] as [CertificateSigningRequest, CertificateSigningRequest];
      return validateStatusChange(now.status ?? {}, previous.status ?? {}, 'status');
    },
  },
};

/** The requester is taken from authentication, never from the request body. */
function stampRequester(request: CertificateSigningRequest, { user }: RequestContext): void {
  const { username: _user, uid: _uid, groups: _groups, extra: _extra, ...requested } = request.spec;
  const extra = Object.entries(user.extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  request.spec = {
    ...requested,
    username: user.username,
    groups: [...user.groups],
    ...(user.uid !== undefined && { uid: user.uid }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
  request.status = {};
}

/** `kubectl certificate approve` and `deny`: only conditions and metadata are written; other changes are ignored. */
async function updateApproval(request: SubresourceRequest): Promise<KubeObject> {
  const { body, parent, nowMs } = request;
  const stored = parent as CertificateSigningRequest;
  const sent = Approval.safeParse(body);
  if (!sent.success) throw badRequest(`CertificateSigningRequest: ${z.prettifyError(sent.error)}`);
  const { status: requested } = sent.data;
  const previous = stored.status ?? {};
  const conditions = (requested?.conditions ?? []).map((condition) =>
    withTimestamps(condition, previous.conditions ?? [], nowMs),
  );
  // A certificate in the body must equal the stored one: silently dropping it would hide a mistake.
  const status = { ...previous, conditions };
  const requestedCertificate = requested?.certificate ?? previous.certificate;
  const errors = validateStatusChange(
    { ...status, ...(requestedCertificate && { certificate: requestedCertificate }) },
    previous,
    'approval',
  );
  if (errors.length > 0) throw invalid(CertificateSigningRequests, stored.metadata.name ?? '', errors);
  return request.replace({ ...stored, metadata: cloneJson(body?.metadata ?? {}), status } as KubeObject);
}

function withTimestamps(
  { type, status, reason, message, lastUpdateTime, lastTransitionTime }: Condition,
  previous: readonly CertificateSigningRequestCondition[],
  nowMs: number,
): CertificateSigningRequestCondition {
  const known = previous.find((condition) => condition.type === type && condition.status === status);
  return {
    type,
    status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    lastUpdateTime: lastUpdateTime ?? formatTime(nowMs),
    lastTransitionTime: lastTransitionTime ?? known?.lastTransitionTime ?? formatTime(nowMs),
  };
}
