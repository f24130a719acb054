import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { cloudProfileContent } from '@fairway/api/domain/cloud-profile';
import { API_VERSION } from '@fairway/api/group';
import { type CloudProfile, cloudProfileName, cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { isPaused } from '@fairway/api/pause';
import type { Informer } from '@fairway/kube/client/informer';
import { setCondition } from '@fairway/kube/controller/conditions';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import { isApiError } from '@fairway/kube/object/api-error';
import { clustersByProfile } from '@fairway/tenancy/cache-indexes';
import type { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';

/** Between two refreshes while clusters use the profile, and otherwise. */
const USED_MS = 20 * 60_000;
const UNUSED_MS = 60 * 60_000;
/** Of the lists. Quotas are asked for at each refresh: 3 calls an hour to each of the services that have them, and a few for the lists that nobody else keeps fresh. */
const MAX_AGE_MS = 60 * 60_000;
const NAME_PREFIX = cloudProfileName('');

type Dependencies = Pick<ControllerDependencies, 'cache' | 'projects' | 'clock' | 'random'>;

/**
 * Keeps a CloudProfile for each cloud that a namespace may use: its own and that of each CloudCredential. After a restart, stored profiles
 * are refreshed when their time would have come, not all at once.
 */
export class CloudProfileReconciler {
  readonly #shared: Dependencies;
  readonly #profiles: Informer<CloudProfile>;
  readonly #namespaces: Informer<Namespace>;
  readonly #offer: Pick<CloudOffer, 'catalogueOf'>;
  /** When each profile was refreshed, or is taken to have been. */
  readonly #refreshed = new Map<string, number>();

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
    for (const key of this.#refreshed.keys()) if (isMatching(key)) this.#refreshed.delete(key);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const [namespace = '', name = ''] = key.split('/');
    const pass = new Pass(context, this.#shared.clock);
    const credentialName = name.startsWith(NAME_PREFIX) ? name.slice(NAME_PREFIX.length) : undefined;
    // Nobody may log in with it yet, and Keystone's refusal would be remembered.
    if (this.#isPaused(namespace, credentialName)) return pass.end();
    const profile = this.#profiles.get(key);
    const cloud = this.#isGone(namespace) ? undefined : this.#cloudOf(namespace, name, credentialName);
    const { failure } = await pass.run(async () => {
      if (cloud === undefined) await this.#remove(profile);
      else pass.againIn(await this.#keep(key, { namespace, name, credentialName, cloud, profile }));
    });
    if (cloud === undefined && failure === undefined) this.#refreshed.delete(key);
    return pass.end();
  }

  #isGone(namespace: string): boolean {
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

  /** Refreshes it if it is time. Resolves with when it is again. */
  async #keep(
    key: string,
    wanted: {
      readonly namespace: string;
      readonly name: string;
      readonly credentialName: string | undefined;
      readonly cloud: ProjectCloud;
      readonly profile: CloudProfile | undefined;
    },
  ): Promise<number> {
    const { clock, random, cache } = this.#shared;
    const { cloud, profile } = wanted;
    const isUsed = cache.clusters.byIndex(clustersByProfile.name, key).length > 0;
    const periodMs = (isUsed ? USED_MS : UNUSED_MS) * (0.9 + 0.2 * random());
    const isOther = profile !== undefined && profile.spec.cloud !== cloud.name;
    const isComplete = profile?.status?.conditions?.some(({ status }) => status === 'True') === true && !isOther;
    let refreshedMs = this.#refreshed.get(key);
    if (refreshedMs === undefined && isComplete) {
      refreshedMs = clock.now() - periodMs * random();
      this.#refreshed.set(key, refreshedMs);
    }
    const dueMs = refreshedMs === undefined || profile === undefined || isOther ? 0 : refreshedMs + periodMs;
    if (dueMs > clock.now()) return dueMs - clock.now();
    await this.#refresh(wanted);
    this.#refreshed.set(key, clock.now());
    return periodMs;
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
    const isOther = profile !== undefined && profile.spec.cloud !== cloud.name;
    const catalogue = await this.#offer.catalogueOf(cloud, { maxAgeMs: MAX_AGE_MS, quotasMaxAgeMs: 0 });
    const stored = await this.#stored(profile, { namespace, name, spec });
    const { observedGeneration: _, conditions, ...previous } = stored.status ?? {};
    const isAnswered = catalogue.flavors !== undefined && catalogue.images !== undefined;
    const generation = stored.metadata.generation ?? 0;
    const condition = {
      type: ConditionType.Ready,
      status: isAnswered ? ('True' as const) : ('False' as const),
      reason: isAnswered ? ConditionReason.AsExpected : ConditionReason.CloudUnavailable,
      message: isAnswered ? '' : 'the cloud does not answer this project now: the lists may be old or missing',
      observedGeneration: generation,
    };
    await writeStatus(this.#profiles.client, stored, {
      observedGeneration: generation,
      conditions: [...setCondition(conditions, condition, this.#shared.clock.now())],
      ...cloudProfileContent(catalogue, isOther ? undefined : previous),
    });
  }

  /** The object, created or corrected if necessary. */
  async #stored(
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
