import type { Informer } from '@fairway/kube/client/informer';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { Reconcile } from '@fairway/kube/controller/result';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { parseCertificateRequest } from '@fairway/kube/pki/certificate-request';
import type { Authorizer, UserInfo } from '../user.ts';
import { hasCondition } from './certificate-signer.ts';
import { kubeletClientRefusal, pemOfRequest, SIGNERS } from './signers.ts';

interface Recognition {
  /** Whoever may `create` this subresource gets such a certificate without being asked. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

/** How a request for a node's client certificate may be approved by itself: most particular right first. */
export function recognizeNodeClient({ spec }: CertificateSigningRequest): Recognition[] {
  if (spec.signerName !== SIGNERS.kubeletClient) return [];
  const request = parseCertificateRequest(pemOfRequest(spec.request));
  if (kubeletClientRefusal(request, spec.usages ?? []) !== undefined) return [];
  const node: Recognition = {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  };
  if (request.commonName !== spec.username) return [node];
  return [
    {
      subresource: 'selfnodeclient',
      message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    },
    node,
  ];
}

export interface CertificateApproverOptions {
  readonly requests: Pick<Informer<CertificateSigningRequest>, 'get'>;
  readonly client: Pick<ResourceClient<CertificateSigningRequest>, 'updateSubresource'>;
  readonly authorizer: Authorizer;
}

/** Approves what the requester may have anyway (kube-controller-manager's csrapproving). Everything else waits for somebody. */
export function certificateApprover({ requests, client, authorizer }: CertificateApproverOptions): Reconcile {
  return async (key, { signal }) => {
    const csr = requests.get(key);
    if (csr === undefined || csr.status?.certificate || hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied')) {
      return {};
    }
    for (const { subresource, message } of recognizeNodeClient(csr)) {
      if (!(await mayCreate(authorizer, requesterOf(csr), subresource))) continue;
      const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
      const status = { ...csr.status, conditions: [...(csr.status?.conditions ?? []), condition] };
      await client.updateSubresource(key, 'approval', { ...csr, status }, { signal });
      return {};
    }
    return {};
  };
}

async function mayCreate(authorizer: Authorizer, user: UserInfo, subresource: string): Promise<boolean> {
  const decision = await authorizer.authorize({
    user,
    verb: 'create',
    group: 'certificates.k8s.io',
    version: '*',
    resource: 'certificatesigningrequests',
    subresource,
    namespace: '',
    name: '',
  });
  return decision.allowed;
}

function requesterOf({ spec: { username = '', uid, groups = [], extra } }: CertificateSigningRequest): UserInfo {
  return { username, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) };
}
