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
import { waitForDefinitions } from './established.ts';
import { type LostField, lostFields, lostFieldText, lostPaths } from './lost-fields.ts';
import type { Manifest } from './manifests.ts';
import { isEarlier, releaseOf } from './release.ts';

/**
 * Field manager, so that a later installation can change and remove its own fields, while those of other managers are
 * kept.
 */
export const FIELD_MANAGER = 'fairway-install';

export interface InstallOptions {
  readonly dryRun: boolean;
  /** Takes over fields that another manager has set differently (force). */
  readonly forceConflicts: boolean;
  /** Installs the kinds of an earlier release over those of a later one, even if values of stored objects are lost. */
  readonly allowDowngrade?: boolean;
  /** Called with fields that stored objects have but the kinds about to be installed lack. */
  readonly onFieldLoss?: (fields: readonly LostField[]) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface InstallResult {
  readonly type: ResourceType;
  readonly name: string;
  /** `kept`: the object already exists and belongs to the operator. */
  readonly change: 'created' | 'configured' | 'unchanged' | 'kept';
}

/** Whether the object depends on one that a dry run does not create: its namespace or its kind. */
interface Missing {
  namespace: boolean;
  readonly kinds: Set<string>;
}

/**
 * Applies the objects that make a cluster a management cluster (`manifests`), or updates them, and reports each object.
 * Idempotent, even after an interruption. Rejects with a CommandError that names all conflicts, after everything else
 * is done.
 */
export async function install(
  client: KubeClient,
  all: readonly Manifest[],
  options: InstallOptions,
  onInstalled: (installed: InstallResult) => void,
): Promise<void> {
  await checkFieldLosses(client, all, options);
  const conflicts: string[] = [];
  const missing: Missing = { namespace: false, kinds: new Set() };
  const write = async (manifest: Manifest) => {
    const { type, object } = manifest;
    const name = object.metadata.name ?? '';
    try {
      onInstalled({ type, name, change: await installManifest(client, manifest, missing, options) });
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
      conflicts.push(`${type.plural} ${name}: ${error.message}`);
    }
  };
  for (const manifest of all.filter(({ isOperatorOwned }) => !isOperatorOwned)) await write(manifest);
  if (!options.dryRun) await waitForDefinitions(client, kindsOf(all), options);
  for (const manifest of all.filter(({ isOperatorOwned }) => isOperatorOwned)) await write(manifest);
  if (conflicts.length > 0) {
    throw new CommandError(`other managers own fields that Fairway sets:\n${conflicts.join('\n')}`, {
      advice:
        'take ownership with --force-conflicts, or have their managers release them; all other objects are installed',
    });
  }
}

/** The kinds whose CRDs are in the manifests; an earlier release may lack some. */
function kindsOf(all: readonly Manifest[]): readonly Kind[] {
  const names = new Set(all.map(({ object }) => object.metadata.name));
  return KINDS.filter(({ plural, group }) => names.has(`${plural}.${group}`));
}

/**
 * An API server drops fields that its CRD does not define when an object is next written. Throws a CommandError rather
 * than downgrade to a release that would lose values; only reports an upgrade that removes a field.
 */
async function checkFieldLosses(client: KubeClient, all: readonly Manifest[], options: InstallOptions): Promise<void> {
  const { signal, allowDowngrade = false, onFieldLoss = () => {} } = options;
  const fieldLosses: LostField[] = [];
  const deferredKinds = new Set<string>();
  for (const { type, object } of all.filter((manifest) => manifest.object.kind === CustomResourceDefinitions.kind)) {
    const installed = await getOrUndefined(client, type, object, signal);
    const kind = KINDS.find(({ plural, group }) => `${plural}.${group}` === object.metadata.name);
    if (installed === undefined || kind === undefined) continue;
    const release = releaseOf(installed);
    if (release !== undefined && isEarlier(FAIRWAY_VERSION, release)) deferredKinds.add(release);
    const paths = lostPaths(installed as CustomResourceDefinition, object as CustomResourceDefinition);
    fieldLosses.push(...(await lostFields(client, kind, paths, signal)));
  }
  if (fieldLosses.length === 0) return;
  if (deferredKinds.size > 0 && !allowDowngrade) {
    const lines = fieldLosses.map((loss) => `  ${lostFieldText(loss)}`).join('\n');
    throw new CommandError(
      `the CRDs are from Fairway ${[...deferredKinds].join(', ')}; this is Fairway ${FAIRWAY_VERSION}, which does not have these fields:\n${lines}`,
      { advice: 'remove the fields from the objects first, or discard their values with --allow-downgrade' },
    );
  }
  onFieldLoss(fieldLosses);
}

async function installManifest(
  client: KubeClient,
  { type, object, isOperatorOwned }: Manifest,
  missing: Missing,
  options: InstallOptions,
): Promise<InstallResult['change']> {
  const { dryRun, forceConflicts, signal } = options;
  if (dependsOnMissing(type, object, missing)) return 'created';
  const resource = client.resource(type);
  const existing = await getOrUndefined(client, type, object, signal);
  if (existing === undefined && dryRun) note(object, missing);
  if (isOperatorOwned) {
    if (existing !== undefined) return 'kept';
    await resource.create(object, { dryRun, fieldManager: FIELD_MANAGER, signal });
    return 'created';
  }
  const desired =
    object.kind === CustomResourceDefinitions.kind
      ? keepVersions(object as CustomResourceDefinition, existing as CustomResourceDefinition | undefined)
      : object;
  const appliedObject = await resource.apply(desired, {
    fieldManager: FIELD_MANAGER,
    force: forceConflicts,
    dryRun,
    signal,
  });
  if (existing === undefined) return 'created';
  return isDeepStrictEqual(contentOf(existing), contentOf(appliedObject)) ? 'unchanged' : 'configured';
}

/** Whether a dry run can't query the server for the object. */
function dependsOnMissing(type: ResourceType, { metadata }: KubeObject, missing: Missing): boolean {
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

/** The fields whose change matters to users: excludes field ownership and status. */
function contentOf(object: KubeObject): object {
  const { managedFields: _owners, resourceVersion: _revision, generation: _generation, ...metadata } = object.metadata;
  const { status: _status, ...rest } = object as KubeObject & { status?: unknown };
  return { ...rest, metadata };
}
