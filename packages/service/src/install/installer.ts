import { isDeepStrictEqual } from 'node:util';
import { KINDS } from '@fairway/api/kinds/all';
import type { Kind } from '@fairway/api/kinds/kind';
import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError, isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { CommandError } from '../command-error.ts';
import { FAIRWAY_VERSION } from '../version.ts';
import { keepVersions } from './definitions.ts';
import { definitionsEstablished } from './established.ts';
import { type LostField, lostFields, lostFieldText, lostPaths } from './lost-fields.ts';
import type { Manifest } from './manifests.ts';
import { isEarlier, releaseOf } from './release.ts';

/** Field manager, so that a later installation may change and remove its fields, and those of other managers are kept. */
export const FIELD_MANAGER = 'fairway-install';

export interface InstallOptions {
  readonly dryRun: boolean;
  /** Takes over fields that another manager has set differently (force). */
  readonly forceConflicts: boolean;
  /** Installs the kinds of an earlier release over those of a later one, even if values of stored objects are lost. */
  readonly allowDowngrade?: boolean;
  /** Called with fields that stored objects have but the kinds to be installed lack. */
  readonly onLoss?: (fields: readonly LostField[]) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Installed {
  readonly type: ResourceType;
  readonly name: string;
  /** `kept`: exists already and belongs to the operator. */
  readonly change: 'created' | 'configured' | 'unchanged' | 'kept';
}

/** Whether objects depend on what a dry run does not create: their namespace, or their kind. */
interface Missing {
  namespace: boolean;
  readonly kinds: Set<string>;
}

/**
 * Applies what makes a cluster a management cluster (`manifests`), or updates it, and reports each object. Idempotent, also after an
 * interruption. Rejects with a CommandError that names all conflicts, after everything else is done.
 */
export async function install(
  client: KubeClient,
  all: readonly Manifest[],
  options: InstallOptions,
  onInstalled: (installed: Installed) => void,
): Promise<void> {
  await checkLosses(client, all, options);
  const conflicts: string[] = [];
  const missing: Missing = { namespace: false, kinds: new Set() };
  const write = async (manifest: Manifest) => {
    const { type, object } = manifest;
    const name = object.metadata.name ?? '';
    try {
      onInstalled({ type, name, change: await installOne(client, manifest, missing, options) });
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
      conflicts.push(`${type.plural} ${name}: ${error.message}`);
    }
  };
  for (const manifest of all.filter(({ isOperators }) => !isOperators)) await write(manifest);
  if (!options.dryRun) await definitionsEstablished(client, kindsIn(all), options);
  for (const manifest of all.filter(({ isOperators }) => isOperators)) await write(manifest);
  if (conflicts.length > 0) {
    throw new CommandError(`other managers own fields that Fairway sets:\n${conflicts.join('\n')}`, {
      advice:
        'take ownership with --force-conflicts, or have their managers release them; all other objects are installed',
    });
  }
}

/** The kinds whose CRDs are among the manifests; an earlier release may lack some. */
function kindsIn(all: readonly Manifest[]): readonly Kind[] {
  const names = new Set(all.map(({ object }) => object.metadata.name));
  return KINDS.filter(({ plural, group }) => names.has(`${plural}.${group}`));
}

/**
 * An API server drops fields that its CRD does not have when an object is next written. Throws a CommandError rather than
 * downgrade to a release that would lose values; an upgrade that removes a field is reported.
 */
async function checkLosses(client: KubeClient, all: readonly Manifest[], options: InstallOptions): Promise<void> {
  const { signal, allowDowngrade = false, onLoss = () => {} } = options;
  const losses: LostField[] = [];
  const later = new Set<string>();
  for (const { type, object } of all.filter((manifest) => manifest.object.kind === CustomResourceDefinitions.kind)) {
    const installed = await getOrUndefined(client, type, object, signal);
    const kind = KINDS.find(({ plural, group }) => `${plural}.${group}` === object.metadata.name);
    if (installed === undefined || kind === undefined) continue;
    const release = releaseOf(installed);
    if (release !== undefined && isEarlier(FAIRWAY_VERSION, release)) later.add(release);
    const paths = lostPaths(installed as CustomResourceDefinition, object as CustomResourceDefinition);
    losses.push(...(await lostFields(client, kind, paths, signal)));
  }
  if (losses.length === 0) return;
  if (later.size > 0 && !allowDowngrade) {
    const lines = losses.map((loss) => `  ${lostFieldText(loss)}`).join('\n');
    throw new CommandError(
      `the CRDs are from Fairway ${[...later].join(', ')}; this is Fairway ${FAIRWAY_VERSION}, which does not have these fields:\n${lines}`,
      { advice: 'remove the fields from the objects first, or discard their values with --allow-downgrade' },
    );
  }
  onLoss(losses);
}

async function installOne(
  client: KubeClient,
  { type, object, isOperators }: Manifest,
  missing: Missing,
  options: InstallOptions,
): Promise<Installed['change']> {
  const { dryRun, forceConflicts, signal } = options;
  if (isBeyond(type, object, missing)) return 'created';
  const resource = client.resource(type);
  const existing = await getOrUndefined(client, type, object, signal);
  if (existing === undefined && dryRun) note(object, missing);
  if (isOperators) {
    if (existing !== undefined) return 'kept';
    await resource.create(object, { dryRun, fieldManager: FIELD_MANAGER, signal });
    return 'created';
  }
  const desired =
    object.kind === CustomResourceDefinitions.kind
      ? keepVersions(object as CustomResourceDefinition, existing as CustomResourceDefinition | undefined)
      : object;
  const applied = await resource.apply(desired, { fieldManager: FIELD_MANAGER, force: forceConflicts, dryRun, signal });
  if (existing === undefined) return 'created';
  return isDeepStrictEqual(contentOf(existing), contentOf(applied)) ? 'unchanged' : 'configured';
}

/** Whether a dry run can't query the server for it. */
function isBeyond(type: ResourceType, { metadata }: KubeObject, missing: Missing): boolean {
  return (metadata.namespace !== undefined && missing.namespace) || missing.kinds.has(type.kind);
}

function note(object: KubeObject, missing: Missing): void {
  if (object.kind === 'Namespace') missing.namespace = true;
  if (object.kind === CustomResourceDefinitions.kind) {
    missing.kinds.add((object as CustomResourceDefinition).spec.names.kind);
  }
}

async function getOrUndefined(
  client: KubeClient,
  type: ResourceType,
  { metadata: { name = '', namespace } }: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await client.resource(type).get(name, { ...(namespace !== undefined && { namespace }), signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

/** What users consider a change: not ownership of fields, nor status. */
function contentOf(object: KubeObject): object {
  const { managedFields: _owners, resourceVersion: _revision, generation: _generation, ...metadata } = object.metadata;
  const { status: _status, ...rest } = object as KubeObject & { status?: unknown };
  return { ...rest, metadata };
}
