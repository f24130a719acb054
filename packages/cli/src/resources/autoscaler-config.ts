import { API_VERSION } from '@fairway/api/group';
import {
  AUTOSCALER_CONFIG_REQUEST_KIND,
  AUTOSCALER_CONFIG_SUBRESOURCE,
  type AutoscalerConfigRequest,
} from '@fairway/api/kinds/autoscaler-config-request';
import { clusters } from '@fairway/api/kinds/cluster';
import { CommandError } from '@fairway/service/command-error';
import { dump } from 'js-yaml';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';

/** Where a pod mounts the Secret. */
const MOUNT_PATH = '/etc/fairway-autoscaler';

/** Prints the Secret as a manifest: cluster-autoscaler reads files, and its pod mounts them from a Secret. */
export async function printAutoscalerConfig(
  context: CliContext,
  globals: GlobalOptions,
  clusterName: string,
  { expiration }: { readonly expiration: number },
): Promise<void> {
  const status = await withConnection(context, globals, async ({ client, namespace }) => {
    const request: AutoscalerConfigRequest = {
      apiVersion: API_VERSION,
      kind: AUTOSCALER_CONFIG_REQUEST_KIND.kind,
      metadata: {},
      spec: { expirationSeconds: Math.round(expiration / 1000) },
    };
    const write = { namespace, signal: context.signal };
    const response = await client
      .resource(clusters)
      .createSubresource(clusterName, AUTOSCALER_CONFIG_SUBRESOURCE, request, write);
    if (response.status === undefined) throw new CommandError('the response has no certificate');
    return response.status;
  });
  const files = { key: `${MOUNT_PATH}/tls.key`, cert: `${MOUNT_PATH}/tls.crt`, cacert: `${MOUNT_PATH}/ca.crt` };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'fairway-autoscaler',
      namespace: 'kube-system',
      annotations: { 'fairway.dev/expires': status.expirationTimestamp },
    },
    stringData: {
      'cloud-config.yaml': dump({ address: status.address, ...files }),
      'tls.key': status.privateKey,
      'tls.crt': status.certificate,
      'ca.crt': status.certificateAuthority,
    },
  };
  context.stdout.write(dump(secret, { lineWidth: -1 }));
}
