import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import type { ClientCertificate } from '@fairway/kube/client/https-connections';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import { type CertificateWithKey, type ComponentCertificates, renewCertificates } from '../pki/certificates-secret.ts';
import { type ClusterPki, trustBundle } from '../pki/cluster-pki.ts';
import { type ComponentName, certificateRequirements } from '../pki/component-certificates.ts';
import type { ControlPlaneSpec, Endpoint } from '../runtime.ts';
import type { ClusterRecord } from './cluster-record.ts';
import { type Component, perComponent } from './components.ts';
import { type ConfigurationFile, configurationFiles } from './configuration.ts';
import { type Files, pathResolver } from './files.ts';
import type { Binaries } from './find-binaries.ts';
import { componentFlags } from './flags.ts';
import {
  ACCESS_WEBHOOK,
  ADMISSION_CONFIGURATION,
  AUTHORIZATION_CONFIGURATION,
  certificatePath,
  ETCD_PEER_SOCKET,
  ETCD_SOCKET,
  keyPath,
  LIMIT_POLICIES,
  TOKEN_WEBHOOK,
} from './folder-layout.ts';
import { componentLimits } from './limits.ts';
import type { ProcessUser } from './process-user.ts';
import { dataFolderName } from './snapshots/data-folders.ts';
import type { ComponentLaunch, DesiredControlPlane } from './supervisor.ts';
import type { WebhookTls } from './token-webhook.ts';

export interface PreparationInputs {
  readonly spec: ControlPlaneSpec;
  readonly binaries: Binaries;
  readonly record: ClusterRecord;
  /** See ConfigurationInputs. */
  readonly policyFile: string | undefined;
  readonly endpoint: Endpoint;
  readonly folder: string;
  readonly files: Files;
  readonly clock: Clock;
  /** Environment of the programs, in addition to their own limits. */
  readonly env: Readonly<Record<string, string>>;
  /** The user that runs the programs. */
  readonly user: ProcessUser | undefined;
}

export interface PreparedControlPlane extends DesiredControlPlane {
  /** Authenticates the API server to kubelets. */
  readonly kubeletClient: ClientCertificate;
  /** TLS of the API server's token webhook; undefined if the API server uses none. */
  readonly tokenWebhook: WebhookTls | undefined;
  /** When the first of the certificates expires. */
  readonly certificatesEndMs: number;
}

/** Writes the files that the programs read, renews certificates that are due, and returns how to run the programs. */
export async function prepareControlPlane(inputs: PreparationInputs): Promise<PreparedControlPlane> {
  const { spec, binaries, record, policyFile, endpoint, folder, files, clock, user } = inputs;
  const path = pathResolver(folder);
  const usesTokenWebhook = spec.reviewToken !== undefined;
  const names = { ...spec, ipAddresses: [...spec.ipAddresses, endpoint.host], usesTokenWebhook };
  const { certificates } = await renewCertificates(spec.pki, names, heldCertificates(inputs, names), clock);
  const { pki, apiServer } = spec;
  const configuration = configurationFiles({
    pki,
    certificates,
    endpoint,
    apiServer,
    usesTokenWebhook,
    usesAccessWebhook: spec.reviewAccess !== undefined,
    policyFile,
    version: binaries.version,
    encryptionKey: record.encryptionKey,
    hasOwnUser: user !== undefined,
  });
  for (const file of configuration) {
    if (files.read(path(file.path)) !== file.text) await files.write(path(file.path), file.text, user?.gid);
  }
  if (spec.reviewAccess === undefined) removeFiles(files, path, ACCESS_WEBHOOK_FILES);
  if (!usesTokenWebhook) removeFiles(files, path, TOKEN_WEBHOOK_FILES);
  if (policyFile === undefined) removeFiles(files, path, POLICY_FILES);
  const own = certificates.get('fairway');
  if (own === undefined) throw new Error('no control plane certificate is issued for Fairway');
  const kubeletClient = certificates.get('apiserver-kubelet-client');
  if (kubeletClient === undefined) throw new Error('no control plane certificate is issued for kubelets');
  return {
    launches: perComponent((component) => launchOf(component, inputs, configuration)),
    apiServer: {
      endpoint,
      certificateAuthority: trustBundle(pki.cluster),
      certificate: own.certificatePem,
      privateKey: own.privateKeyPem,
    },
    kubeletClient: { certificate: kubeletClient.certificatePem, privateKey: kubeletClient.privateKeyPem },
    tokenWebhook: usesTokenWebhook ? webhookTls(certificates, pki) : undefined,
    certificatesEndMs: Math.min(
      ...[...certificates.values()].map(({ certificatePem }) => certificateInfo(certificatePem).notAfterMs),
    ),
  };
}

/** The last file in the list is deleted last: its presence shows whether the others exist. */
function removeFiles(files: Files, path: (name: string) => string, names: readonly string[]): void {
  if (files.read(path(names.at(-1) ?? '')) === undefined) return;
  for (const name of names) files.remove(path(name));
}

const ACCESS_WEBHOOK_FILES = [AUTHORIZATION_CONFIGURATION, ACCESS_WEBHOOK];
const POLICY_FILES = [LIMIT_POLICIES, ADMISSION_CONFIGURATION];
const TOKEN_WEBHOOK_FILES = [
  ...(['token-webhook', 'token-webhook-client'] as const).flatMap((name) => [keyPath(name), certificatePath(name)]),
  TOKEN_WEBHOOK,
];

function webhookTls(certificates: ComponentCertificates, { frontProxy }: ClusterPki): WebhookTls {
  const own = certificates.get('token-webhook');
  if (own === undefined) throw new Error('the token webhook has no certificate');
  return {
    certificate: own.certificatePem,
    privateKey: own.privateKeyPem,
    clientAuthority: trustBundle(frontProxy),
  };
}

function heldCertificates(
  { folder, files }: PreparationInputs,
  names: Parameters<typeof certificateRequirements>[0],
): ReadonlyMap<ComponentName, CertificateWithKey> {
  const path = pathResolver(folder);
  const held = new Map<ComponentName, CertificateWithKey>();
  for (const { component } of certificateRequirements(names)) {
    const certificatePem = files.read(path(certificatePath(component)));
    const privateKeyPem = files.read(path(keyPath(component)));
    if (certificatePem && privateKeyPem && isKeyPair(certificatePem, privateKeyPem)) {
      held.set(component, { certificatePem, privateKeyPem });
    }
  }
  return held;
}

/** A crash between the two writes leaves a new file next to an old one. */
function isKeyPair(certificatePem: string, privateKeyPem: string): boolean {
  return new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(privateKeyPem));
}

function launchOf(
  component: Component,
  { spec, binaries, record, policyFile, endpoint, env, user }: PreparationInputs,
  configuration: readonly ConfigurationFile[],
): ComponentLaunch {
  const command = binaries.paths[component];
  const args = componentFlags(component, {
    ...spec,
    endpoint,
    dataFolder: dataFolderName(record.dataGeneration),
    hasOwnUser: user !== undefined,
    usesPolicyFiles: policyFile !== undefined,
  });
  const limits = componentLimits(component, spec.topology.memoryMiB);
  const read = configuration.filter(({ restarts }) => restarts.includes(component)).map(({ text }) => text);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([command, binaries.version, args, limits.env, read, user]))
    .digest('hex')
    .slice(0, 32);
  const sockets = component === 'etcd' ? [ETCD_SOCKET, ETCD_PEER_SOCKET] : [];
  return { command, args, env: { ...env, ...limits.env }, memoryBytes: limits.memoryBytes, fingerprint, sockets, user };
}
