import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { forbidden } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { AdmissionPlugin, AdmissionRequest } from '../../server/admission.ts';
import type { Authorizer, UserInfo } from '../user.ts';
import { GROUP_MASTERS } from '../well-known-users.ts';
import { readableRequest, SIGNERS } from './signers.ts';

const GROUP = 'certificates.k8s.io';
const RESOURCE = 'certificatesigningrequests';

/** CertificateApproval, CertificateSigning and CertificateSubjectRestriction (plugin/pkg/admission/certificates). */
export function createCertificateSigningAdmission(authorizer: Authorizer): AdmissionPlugin[] {
  return [
    {
      name: 'CertificateApproval',
      async validate(request) {
        if (!matchesRequest(request, 'UPDATE', 'approval')) return;
        // Checks the stored signerName, not the one in the update.
        const { signerName } = specOf(request.oldObject);
        if (await mayUseSigner(authorizer, request.user, 'approve', signerName)) return;
        throw refused(request, `user not permitted to approve requests with signerName "${signerName}"`);
      },
    },
    {
      name: 'CertificateSigning',
      async validate(request) {
        if (!matchesRequest(request, 'UPDATE', 'status')) return;
        const [requested, old] = [request.object, request.oldObject] as CertificateSigningRequest[];
        const isUnchanged =
          requested?.status?.certificate === old?.status?.certificate &&
          jsonEqual(requested?.status?.conditions ?? [], old?.status?.conditions ?? []);
        if (isUnchanged) return;
        const { signerName } = specOf(request.oldObject);
        if (await mayUseSigner(authorizer, request.user, 'sign', signerName)) return;
        throw refused(request, `user not permitted to sign requests with signerName "${signerName}"`);
      },
    },
    {
      name: 'CertificateSubjectRestriction',
      validate(request) {
        if (!matchesRequest(request, 'CREATE', '')) return;
        const spec = specOf(request.object);
        if (spec.signerName !== SIGNERS.client) return;
        if (readableRequest(spec)?.organizations.includes(GROUP_MASTERS) !== true) return;
        throw refused(request, `use of ${SIGNERS.client} signer with system:masters group is not allowed`);
      },
    },
  ];
}

/** Permission for the signer itself, or for all signers in its domain (`kubernetes.io/*`). */
async function mayUseSigner(
  authorizer: Authorizer,
  user: UserInfo,
  verb: string,
  signerName: string,
): Promise<boolean> {
  const domain = signerName.split('/')[0] ?? '';
  for (const name of [signerName, `${domain}/*`]) {
    const attributes = {
      user,
      verb,
      group: GROUP,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    };
    if ((await authorizer.authorize(attributes)).allowed) return true;
  }
  return false;
}

function matchesRequest(
  { resource, operation, subresource }: AdmissionRequest,
  requested: string,
  part: string,
): boolean {
  return resource.group === GROUP && resource.plural === RESOURCE && operation === requested && subresource === part;
}

function specOf(object: AdmissionRequest['object']): CertificateSigningRequest['spec'] {
  return (object as CertificateSigningRequest).spec;
}

function refused({ name }: AdmissionRequest, detail: string) {
  return forbidden({ group: GROUP, resource: RESOURCE, name }, detail);
}
