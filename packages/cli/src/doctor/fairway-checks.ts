import { X509Certificate } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { connect } from 'node:tls';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { type KubeConnection, loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { ShardLeases } from '@fairway/kube/controller/shard-leases';
import { Leases } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { foreignDefinitions, foreignKindsMessage } from '@fairway/service/install/foreign-definitions';
import { isEmbedded } from '@fairway/service/install/is-embedded';
import { SHARD_COUNT, SHARD_GROUP } from '@fairway/service/serve/share';
import { observeWebhook } from '@fairway/service/serve/webhook-observation';
import { type Home, identifyProcess } from '@fairway/service/up/home';
import { chooseKubeconfig, isKubeconfigExplicit } from '../client/choose-kubeconfig.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { explainError } from '../command/explain-error.ts';
import { KINDS_BY_NAME } from '../resources/kinds.ts';
import { certificateFinding } from './certificate.ts';
import { consoleFindings, observeConsole } from './console.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { replicaFindings } from './replicas.ts';
import { stuckFinding } from './stuck-objects.ts';
import { webhookFindings } from './webhook.ts';

const MIN_NODE_MAJOR = 24;

/** Checks on this machine and the home. */
export function localFindings(home: Home): Finding[] {
  const major = Number.parseInt(process.versions.node, 10);
  const node =
    major >= MIN_NODE_MAJOR
      ? ok('Node', process.version)
      : problem('Node', `${process.version} is too old`, `install Node ${MIN_NODE_MAJOR}, or run fairway through npx`);
  return [node, ...homeFindings(home)];
}

function homeFindings(home: Home): Finding[] {
  if (!existsSync(home.path)) {
    return [warning('home', `${home.path} does not exist`, 'run "fairway up", or name the folder with --home')];
  }
  const findings = [ok('home', home.path)];
  for (const path of [home.path, home.pki, home.kubeconfig]) {
    if (!existsSync(path) || (statSync(path).mode & 0o077) === 0) continue;
    findings.push(
      warning('home', `${path} contains secrets, but users other than its owner can read it`, `chmod go= ${path}`),
    );
  }
  const pids = home.holders(identifyProcess);
  findings.push(
    pids.length > 0
      ? ok('process', `Fairway runs as process ${pids.join(', ')}`)
      : warning(
          'process',
          'no "fairway up" or "fairway serve" is running on this home',
          `fairway up --home ${home.path}`,
        ),
  );
  return findings;
}

/** Checks on Fairway's API. Checks that depend on a failed one are skipped. */
export async function apiFindings(context: CliContext, globals: GlobalOptions): Promise<Finding[]> {
  const choice = { option: globals.kubeconfig, env: context.env };
  const path = chooseKubeconfig({ ...choice, cwd: context.cwd, exists: existsSync });
  const mayRunPlugins = isKubeconfigExplicit(path, choice);
  let connection: KubeConnection;
  try {
    connection = await loadKubeConnection({ path, mayRunPlugins, context: globals.context, env: context.env });
  } catch (error) {
    return [failure('kubeconfig', error)];
  }
  const findings = [ok('kubeconfig', `context "${connection.context}" of ${path ?? 'KUBECONFIG'}`)];
  findings.push(...(await certificateFindings(connection, context.clock.now())));
  const transport = new HttpsTransport(connection.transport);
  const client = new KubeClient(transport);
  try {
    const startedMs = performance.now();
    const { gitVersion } = await client.version();
    const tookMs = Math.round(performance.now() - startedMs);
    findings.push(ok('API', `${gitVersion} at ${connection.transport.server} answered in ${tookMs} ms`));
    const namespace = globals.namespace ?? connection.namespace ?? 'default';
    const nowMs = context.clock.now();
    if (!isEmbedded(gitVersion)) findings.push(...(await installationFindings(client, nowMs)));
    findings.push(...(await objectFindings(client, namespace, nowMs)));
    findings.push(...(await sharingFindings(client, nowMs)));
    const { server } = connection.transport;
    findings.push(...consoleFindings(await observeConsole(transport, server), server));
  } catch (error) {
    findings.push(failure('API', error));
  } finally {
    client.close();
  }
  return findings;
}

/**
 * What "fairway install" and the gateway create in a management cluster. Parts that the caller may not read are
 * omitted.
 */
async function installationFindings(client: KubeClient, nowMs: number): Promise<Finding[]> {
  const kinds = emptyIfForbidden(async () => {
    const foreign = await foreignDefinitions(client);
    return [
      foreign.length === 0 ? ok('kinds', 'are from this release') : warning('kinds', foreignKindsMessage(foreign)),
    ];
  });
  const webhook = emptyIfForbidden(async () => webhookFindings(await observeWebhook(client), nowMs));
  return [...(await kinds), ...(await webhook)];
}

async function emptyIfForbidden(observe: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await observe();
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return [];
    throw error;
  }
}

/** Requires access to Fairway's own namespace. */
async function sharingFindings(client: KubeClient, nowMs: number): Promise<Finding[]> {
  const { selector: labelSelector } = new ShardLeases(SYSTEM_NAMESPACE, SHARD_GROUP, SHARD_COUNT);
  try {
    const { items } = await client.resource(Leases).list({ namespace: SYSTEM_NAMESPACE, labelSelector });
    return replicaFindings(items, nowMs);
  } catch (error) {
    if (isApiError(error, 'Forbidden', 'NotFound')) return [];
    throw error;
  }
}

function failure(check: string, error: unknown): Finding {
  const { message, advice } = explainError(error);
  return problem(check, message, advice);
}

async function certificateFindings({ transport }: KubeConnection, nowMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const client = await transport.clientCertificate?.();
  if (client !== undefined) {
    const { validTo } = new X509Certificate(client.certificate);
    const advice = 'restart "fairway up", which writes a new kubeconfig, or ask the operator for one';
    findings.push(certificateFinding('client certificate', validTo, nowMs, advice));
  }
  const served = await certificateExpiry(transport.server);
  if (served !== undefined) {
    findings.push(certificateFinding('server certificate', served, nowMs, 'restart "fairway up": it issues a new one'));
  }
  return findings;
}

/** Expiry of a server's certificate; undefined if it presents none. The request verifies the issuer. */
function certificateExpiry(server: string): Promise<string | undefined> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, timeout: 5000 });
    const end = (validTo: string | undefined) => {
      socket.destroy();
      resolve(validTo);
    };
    socket.once('secureConnect', () => end(socket.getPeerCertificate().valid_to));
    socket.once('error', () => end(undefined));
    socket.once('timeout', () => end(undefined));
  });
}

async function objectFindings(client: KubeClient, namespace: string, nowMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const counts: string[] = [];
  const missing: string[] = [];
  for (const kind of Object.values(KINDS_BY_NAME)) {
    const resource = client.resource(kind);
    // Tenants may read only their own namespace.
    const list = await resource.list().catch((error: unknown) => {
      if (isApiError(error, 'Forbidden')) return resource.list({ namespace });
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    });
    if (list === undefined) {
      missing.push(kind.plural);
      continue;
    }
    const { items } = list;
    counts.push(`${items.length} ${kind.plural}`);
    findings.push(...items.flatMap((object) => stuckFinding(kind, object, nowMs) ?? []));
  }
  if (missing.length > 0) {
    const advice = 'run "fairway install" with this kubeconfig, or use the kubeconfig of Fairway';
    return [...findings, problem('objects', `this API does not serve ${missing.join(', ')}`, advice)];
  }
  if (findings.length === 0) findings.push(ok('objects', `${counts.join(', ')}: none is stuck`));
  return findings;
}
