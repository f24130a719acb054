import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { cloudProfileContent } from '@fairway/api/domain/cloud-profile';
import { API_VERSION } from '@fairway/api/group';
import {
  type CloudProfile,
  type CloudProfileStatus,
  cloudProfileName,
  cloudProfiles,
} from '@fairway/api/kinds/cloud-profile';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import { setCondition } from '@fairway/kube/controller/conditions';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { clustersByProfile } from '@fairway/tenancy/cache-indexes';
import type { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';

/** Interval between two refreshes: while clusters use the profile, and otherwise. */
const USED_REFRESH_INTERVAL_MS = 20 * 60_000;
const UNUSED_REFRESH_INTERVAL_MS = 60 * 60_000;
/**
 * Maximum age of the lists. Each refresh queries quotas: 3 calls an hour to each service that has them, plus a few for
 * lists that nothing else refreshes.
 */
const MAX_AGE_MS = 60 * 60_000;
const NAME_PREFIX = cloudProfileName('');

type Dependencies = Pick<ControllerDependencies, 'cache' | 'projects' | 'clock' | 'random'>;

/**
 * Maintains a CloudProfile for each cloud that a namespace may use: its own and that of each CloudCredential. After a restart, stored
 * profiles are refreshed when due, not all at once.
 */
export class CloudProfileReconciler {
  readonly #shared: Dependencies;
  readonly #profiles: Informer<CloudProfile>;
  readonly #namespaces: Informer<Namespace>;
  readonly #offer: Pick<CloudOffer, 'catalogueOf'>;
  /** When each profile was refreshed, or is assumed to have been refreshed. */
  readonly #refreshedAtMs = new Map<string, number>();

  constructor(
    shared: Dependencies,
    own: {
      readonly profiles: Informer<CloudProfile>;
      readonly namespaces: Informer<Namespace>;
      readonly offer: Pick<CloudOffer, 'catalogueOf'>;
    },
  ) {
    this.#shared = shared;
    this.#profiles = own.profiles;
    this.#namespaces = own.namespaces;
    this.#offer = own.offer;
  }

  forget(isMatching: (key: string) => boolean): void {
    for (const key of this.#refreshedAtMs.keys()) if (isMatching(key)) this.#refreshedAtMs.delete(key);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const [namespace = '', name = ''] = key.split('/');
    const pass = new Pass(context, this.#shared.clock);
    const credentialName = name.startsWith(NAME_PREFIX) ? name.slice(NAME_PREFIX.length) : undefined;
    // The credential cannot be used for a login yet, and Keystone's rejection would be cached.
    if (this.#isPaused(namespace, credentialName)) return pass.end();
    const profile = this.#profiles.get(key);
    const cloud = this.#isDeleted(namespace) ? undefined : this.#cloudOf(namespace, name, credentialName);
    const { failure } = await pass.run(async () => {
      if (cloud === undefined) await this.#remove(profile);
      else pass.requeueAfter(await this.#ensureProfile(key, { namespace, name, credentialName, cloud, profile }));
    });
    if (cloud === undefined && failure === undefined) this.#refreshedAtMs.delete(key);
    return pass.end();
  }

  #isDeleted(namespace: string): boolean {
    return (
      this.#namespaces.get(namespace)?.metadata.deletionTimestamp !== undefined || !this.#namespaces.get(namespace)
    );
  }

  #isPaused(namespace: string, credentialName: string | undefined): boolean {
    if (credentialName === undefined) return false;
    const credential = this.#shared.cache.credentials.get(`${namespace}/${credentialName}`);
    if (credential === undefined || credential.metadata.deletionTimestamp !== undefined) return false;
    return isPaused(credential);
  }

  #cloudOf(namespace: string, name: string, credentialName: string | undefined): ProjectCloud | undefined {
    if (cloudProfileName(credentialName) !== name) return undefined;
    if (credentialName !== undefined) {
      const credential = this.#shared.cache.credentials.get(`${namespace}/${credentialName}`);
      if (credential === undefined || credential.metadata.deletionTimestamp !== undefined) return undefined;
    }
    return this.#shared.projects.forNamespace(namespace, credentialName);
  }

  async #remove(profile: CloudProfile | undefined): Promise<void> {
    if (profile === undefined) return;
    const { name = '', namespace = '', uid } = profile.metadata;
    try {
      await this.#profiles.client.delete(name, { namespace, ...(uid !== undefined && { uid }) });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  /** Refreshes the profile if it is due. Resolves with the time of the next refresh. */
  async #ensureProfile(
    key: string,
    target: {
      readonly namespace: string;
      readonly name: string;
      readonly credentialName: string | undefined;
      readonly cloud: ProjectCloud;
      readonly profile: CloudProfile | undefined;
    },
  ): Promise<number> {
    const { clock, random, cache } = this.#shared;
    const { cloud, profile } = target;
    const isUsed = cache.clusters.byIndex(clustersByProfile.name, key).length > 0;
    const intervalMs = (isUsed ? USED_REFRESH_INTERVAL_MS : UNUSED_REFRESH_INTERVAL_MS) * (0.9 + 0.2 * random());
    const isOtherCloud = profile !== undefined && profile.spec.cloud !== cloud.name;
    const isComplete = profile?.status?.conditions?.some(({ status }) => status === 'True') === true && !isOtherCloud;
    let lastRefreshMs = this.#refreshedAtMs.get(key);
    if (lastRefreshMs === undefined && isComplete) {
      lastRefreshMs = clock.now() - intervalMs * random();
      this.#refreshedAtMs.set(key, lastRefreshMs);
    }
    const dueMs = lastRefreshMs === undefined || profile === undefined || isOtherCloud ? 0 : lastRefreshMs + intervalMs;
    if (dueMs > clock.now()) return dueMs - clock.now();
    await this.#refresh(target);
    this.#refreshedAtMs.set(key, clock.now());
    return intervalMs;
  }

  async #refresh({
    namespace,
    name,
    credentialName,
    cloud,
    profile,
  }: {
    readonly namespace: string;
    readonly name: string;
    readonly credentialName: string | undefined;
    readonly cloud: ProjectCloud;
    readonly profile: CloudProfile | undefined;
  }): Promise<void> {
    const spec = { cloud: cloud.name, ...(credentialName !== undefined && { credentialName }) };
    const isOtherCloud = profile !== undefined && profile.spec.cloud !== cloud.name;
    const requestedAtMs = this.#shared.clock.now();
    const catalogue = await this.#offer.catalogueOf(cloud, { maxAgeMs: MAX_AGE_MS, quotasMaxAgeMs: 0 });
    const stored = await this.#storedProfile(profile, { namespace, name, spec });
    const { observedGeneration: _, conditions, ...previous } = stored.status ?? {};
    const isCatalogueComplete = catalogue.flavors !== undefined && catalogue.images !== undefined;
    const generation = stored.metadata.generation ?? 0;
    // If the cloud did not respond, the previous lists are kept, with their previous time.
    const before = isOtherCloud ? undefined : previous;
    const content = cloudProfileContent(catalogue, before);
    const requested =
      catalogue.quotas === undefined || isRecent(before, content, requestedAtMs)
        ? before?.quotasTime
        : formatTime(requestedAtMs);
    const condition = {
      type: ConditionType.Ready,
      status: isCatalogueComplete ? ('True' as const) : ('False' as const),
      reason: isCatalogueComplete ? ConditionReason.AsExpected : ConditionReason.CloudUnavailable,
      message: isCatalogueComplete
        ? ''
        : 'the cloud does not respond to this project at the moment: the lists may be outdated or missing',
      observedGeneration: generation,
    };
    await writeStatus(this.#profiles.client, stored, {
      observedGeneration: generation,
      conditions: [...setCondition(conditions, condition, this.#shared.clock.now())],
      ...content,
      ...(requested !== undefined && { quotasTime: requested }),
    });
  }

  /** The object, created or corrected if necessary. */
  async #storedProfile(
    profile: CloudProfile | undefined,
    {
      namespace,
      name,
      spec,
    }: { readonly namespace: string; readonly name: string; readonly spec: CloudProfile['spec'] },
  ): Promise<CloudProfile> {
    const { client } = this.#profiles;
    const where = { namespace, fieldManager: 'fairway' };
    if (profile === undefined) {
      const { kind } = cloudProfiles;
      return client.create({ apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec }, where);
    }
    if (profile.spec.cloud === spec.cloud) return profile;
    return client.patch(name, { type: 'merge', value: { metadata: { uid: profile.metadata.uid }, spec } }, where);
  }
}

/**
 * How far `time` may lag behind the last response while quotas are unchanged, so that an unchanged profile is rarely
 * written.
 */
const QUOTA_REFRESH_INTERVAL_MS = 2 * 3_600_000;

function isRecent(
  before: Pick<CloudProfileStatus, 'quotas' | 'quotasTime'> | undefined,
  { quotas }: Pick<CloudProfileStatus, 'quotas'>,
  nowMs: number,
): boolean {
  if (before?.quotasTime === undefined || !jsonEqual(before.quotas, quotas)) return false;
  return nowMs - Date.parse(before.quotasTime) < QUOTA_REFRESH_INTERVAL_MS;
}
