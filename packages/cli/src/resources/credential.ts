import { readFileSync } from 'node:fs';
import { API_VERSION } from '@fairway/api/group';
import { type CloudCredential, CREDENTIAL_KEYS, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { Cloud } from '@fairway/openstack/cloud';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { CommandError } from '@fairway/service/command-error';
import { readCloudsYaml } from '@fairway/service/up/clouds';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { localTime } from '../output/local-time.ts';
import { requireCloud } from '../up/cloud-options.ts';
import { qualifiedName } from './kinds.ts';

export interface CreateCredentialOptions {
  /** Entry in the tenant's own clouds.yaml. */
  readonly cloud: string;
  /** Name of the same cloud in the operator's clouds.yaml. */
  readonly fairwayCloud?: string;
  /** Milliseconds. */
  readonly expires?: number;
  /** User id of the operator's Fairway, to delegate through a trust instead of an application credential. */
  readonly trustTo?: string;
  readonly reclaimPolicy: 'Retain' | 'Delete';
  /** Milliseconds. */
  readonly timeout: number;
}

export interface DeleteCredentialOptions {
  readonly cloud: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Roles that suffice for a cluster; the user's roles among them are delegated. */
const DELEGATED_ROLES = ['member', 'reader', 'load-balancer_member', 'creator'];

/** Creates an application credential or a trust with the tenant's own token, and stores it in Fairway's API. */
export async function createCredential(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: CreateCredentialOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    await withCloud(context, options.cloud, async (keystone) => {
      const created = await delegate(context, keystone, keystoneName(connection, name), options);
      try {
        const spec = { cloud: options.fairwayCloud ?? options.cloud, reclaimPolicy: options.reclaimPolicy };
        await store(connection, name, spec, created.keys);
      } catch (error) {
        // Otherwise the credential would be orphaned in Keystone.
        await created.revoke();
        throw error;
      }
      context.stdout.write(`${qualifiedName(cloudCredentials, name)} created\n`);
      const { status } = await waitUntilChecked(context, connection, name, options.timeout);
      const ready = findCondition(status?.conditions, 'Ready');
      if (ready?.status !== 'True') {
        const advice = `fix it, or delete it: fairway credential delete ${name} --cloud ${options.cloud}`;
        throw new CommandError(ready?.message ?? 'Fairway has not checked the credential yet', { advice });
      }
      const until = status?.expiresAt === undefined ? '' : ` until ${localTime(status.expiresAt)}`;
      context.stderr.write(
        `Fairway can act in project ${status?.projectName} with ${status?.roles?.join(', ')}${until}\n`,
      );
      context.stderr.write(`next: set spec.credentialName: ${name} in a Cluster\n`);
    });
  });
}

/** Name of the application credential; Keystone requires it to be unique per user. */
function keystoneName({ namespace }: Pick<Connection, 'namespace'>, name: string): string {
  return `fairway-${namespace}-${name}`;
}

const DESCRIPTION = 'Used by Fairway to run Kubernetes clusters';

/**
 * Deletes the credential from Fairway, then revokes it in Keystone. Only the credential's owner may revoke it, so if
 * the user cannot log in to Keystone, nothing is deleted.
 */
export async function deleteCredential(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: DeleteCredentialOptions,
): Promise<void> {
  await withConnection(context, globals, async ({ client, namespace }) => {
    const resource = client.resource(cloudCredentials);
    const { status, metadata } = await resource.get(name, { namespace });
    await withCloud(context, options.cloud, async ({ identity, session }) => {
      await session.token();
      await resource.delete(name, { namespace, ...(metadata.uid !== undefined && { uid: metadata.uid }) });
      const deadlineMs = context.clock.now() + options.timeout;
      while (await exists(() => resource.get(name, { namespace }))) {
        if (context.clock.now() > deadlineMs) {
          const advice =
            'delete the clusters that use it, or switch them to another credential of the same project (spec.credentialName)';
          throw new CommandError(`credential "${name}" is in use`, { advice });
        }
        await context.clock.sleep(POLL_INTERVAL_MS, context.signal);
      }
      await revoke(identity, status, keystoneName({ namespace }, name));
    });
    context.stdout.write(`${qualifiedName(cloudCredentials, name)} deleted\n`);
  });
}

/**
 * A credential that Fairway could never use has no id in its status; it is found by the name from `createCredential`.
 */
async function revoke(
  identity: OpenStackClient['identity'],
  status: CloudCredential['status'],
  name: string,
): Promise<void> {
  const id = status?.credentialID;
  if (status?.type === 'Trust') {
    if (id !== undefined) await ignoreNotFound(identity.deleteTrust(id));
    return;
  }
  const isOwn = (created: { readonly name: string; readonly description?: string | null | undefined }) =>
    created.name === name && created.description === DESCRIPTION;
  const found = id ?? (await identity.applicationCredentials()).find(isOwn)?.id;
  if (found !== undefined) await ignoreNotFound(identity.deleteApplicationCredential(found));
}

function noRolesError(project: string | undefined, held: readonly string[]): CommandError {
  const has = held.length === 0 ? 'none' : held.join(', ');
  const where = project === undefined ? 'this login has no project' : `your roles in project ${project}: ${has}`;
  return new CommandError(`Fairway needs the role member, which you cannot delegate: ${where}`, {
    advice: `ask an administrator to assign it: openstack role add --user YOU --project ${project ?? 'PROJECT'} member`,
  });
}

interface Delegation {
  readonly keys: Readonly<Record<string, string>>;
  readonly revoke: () => Promise<void>;
}

async function delegate(
  { clock }: CliContext,
  { identity, session }: OpenStackClient,
  name: string,
  { expires, trustTo }: CreateCredentialOptions,
): Promise<Delegation> {
  const { token } = await session.token();
  const held = new Set(token.roles.map((role) => role.name));
  const roles = DELEGATED_ROLES.filter((role) => held.has(role)).map((role) => ({ name: role }));
  // Keystone treats an empty list as all roles.
  if (roles.length === 0) throw noRolesError(token.project?.name, [...held]);
  // Keystone requires UTC with microseconds.
  const expiry =
    expires === undefined ? {} : { expires_at: new Date(clock.now() + expires).toISOString().replace('Z', '000Z') };
  if (trustTo !== undefined) {
    const trust = await identity.createTrust({
      trustee_user_id: trustTo,
      project_id: await session.projectId(),
      // Fairway impersonates the tenant, so the tenant owns the resources that it creates.
      impersonation: true,
      roles,
      ...expiry,
    });
    return { keys: { [CREDENTIAL_KEYS.trustId]: trust.id }, revoke: () => identity.deleteTrust(trust.id) };
  }
  const request = { name, description: DESCRIPTION, roles, unrestricted: false, ...expiry };
  const created = await identity.createApplicationCredential(request).catch((error: unknown) => {
    if (!isOpenStackError(error, 'conflict')) throw error;
    const advice = `if nothing uses it, run: openstack application credential delete ${name}; otherwise choose another name`;
    throw new CommandError(`an application credential "${name}" already exists`, { advice });
  });
  return {
    keys: {
      [CREDENTIAL_KEYS.applicationCredentialId]: created.id,
      [CREDENTIAL_KEYS.applicationCredentialSecret]: created.secret,
    },
    revoke: () => identity.deleteApplicationCredential(created.id),
  };
}

/**
 * Creates the Secret first, so a credential always has one; it is deleted with the credential. Members may only create
 * and replace Secrets, since responses to other verbs contain the data. That is why the server generates the name, and
 * a failure leaves an empty Secret.
 */
async function store(
  { client, namespace }: Connection,
  name: string,
  spec: Pick<CloudCredential['spec'], 'cloud' | 'reclaimPolicy'>,
  stringData: Readonly<Record<string, string>>,
): Promise<void> {
  const secrets = client.resource(Secrets);
  const generateName = `${name}-cloud-credential-`;
  const created = await secrets.create({ metadata: { generateName, namespace }, stringData: { ...stringData } });
  const secret = { metadata: { name: created.metadata.name ?? '', namespace } };
  try {
    const credential: CloudCredential = {
      apiVersion: API_VERSION,
      kind: cloudCredentials.kind,
      metadata: { name, namespace },
      spec: { ...spec, secretRef: { name: secret.metadata.name } },
    };
    const { metadata } = await client.resource(cloudCredentials).create(credential, { fieldManager: 'fairway' });
    const owner = { apiVersion: API_VERSION, kind: cloudCredentials.kind, name, uid: metadata.uid ?? '' };
    const owned = { metadata: { ...secret.metadata, ownerReferences: [owner] }, stringData: { ...stringData } };
    await secrets.update(owned);
  } catch (error) {
    await secrets.update(secret);
    throw error;
  }
}

const POLL_INTERVAL_MS = 250;

/** Waits until Fairway has verified the credential, or returns its state at the timeout. */
async function waitUntilChecked(
  { clock, signal }: CliContext,
  { client, namespace }: Connection,
  name: string,
  timeoutMs: number,
): Promise<CloudCredential> {
  const deadlineMs = clock.now() + timeoutMs;
  for (;;) {
    const credential = await client.resource(cloudCredentials).get(name, { namespace });
    const isChecked = credential.status?.observedGeneration === credential.metadata.generation;
    if (isChecked || clock.now() > deadlineMs) return credential;
    await clock.sleep(POLL_INTERVAL_MS, signal);
  }
}

async function exists(get: () => Promise<unknown>): Promise<boolean> {
  try {
    await get();
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

async function withCloud(
  { clock }: CliContext,
  entry: string,
  use: (client: OpenStackClient) => Promise<void>,
): Promise<void> {
  const clouds = readCloudsYaml();
  requireCloud(clouds, entry);
  const cloud = new Cloud({
    config: clouds.get(entry),
    clock,
    random: Math.random,
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  try {
    await use(cloud.client());
  } finally {
    await cloud.close();
  }
}
