import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { SelfSubjectReview } from '@fairway/kube/kinds/generated/types';
import { apiVersionOf, type ResourceType } from '@fairway/kube/object/meta';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import type { CliContext } from '../command/context.ts';

const selfSubjectReviews: ResourceType<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
};
/** As shown by `kubectl auth whoami`. */
const EXTRA_NAMESPACE = 'fairway.dev/namespace';
/** A kubeconfig can also be written while the server is unavailable. */
const TIMEOUT_MS = 10_000;

/**
 * The namespace in Fairway's API at `server` for a token's project: the reported one, or by default the project's
 * id.
 */
export async function namespaceAt(
  { clock, signal }: Pick<CliContext, 'clock' | 'signal'>,
  server: { readonly server: string; readonly certificateAuthority?: string; readonly serverName?: string },
  { token, projectId }: { readonly token: string; readonly projectId: string },
): Promise<string> {
  const transport = new HttpsTransport({ ...server, bearerToken: () => token, clock, requestTimeoutMs: TIMEOUT_MS });
  const client = new KubeClient(transport, { userAgent: `fairway/${FAIRWAY_VERSION}`, clock });
  try {
    const review = { apiVersion: apiVersionOf(selfSubjectReviews), kind: selfSubjectReviews.kind, metadata: {} };
    const { status } = await client.resource(selfSubjectReviews).create(review, { signal });
    return status?.userInfo?.extra?.[EXTRA_NAMESPACE]?.[0] ?? projectId;
  } catch {
    if (signal.aborted) throw signal.reason;
    return projectId;
  } finally {
    client.close();
  }
}
