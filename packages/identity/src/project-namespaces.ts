import { PROJECT_ID_ANNOTATION } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import { Namespaces, RoleBindings } from '@fairway/kube/kinds/resources';
import { ApiError, isApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import type { KeystoneUser } from './keystone-user.ts';
import { namespaceName, type ProjectRef } from './namespace-name.ts';
import { PROJECT_LABEL, projectIdOf, ROLES_ANNOTATION } from './project-labels.ts';
import { roleBindings, rolesDigest } from './role-bindings.ts';
import type { KeystoneSettings } from './settings.ts';

export interface ProjectNamespacesOptions {
  readonly settings: Pick<KeystoneSettings, 'namespaceFormat' | 'roles' | 'ignoredProjects'>;
  /** Cache of namespaces at Fairway's API. */
  readonly reader: () => ObjectReader;
  readonly client: () => KubeClient;
  readonly clock: Clock;
}

/** Limit on new namespaces per domain, because a domain's administrator can create any number of projects. */
export const NEW_NAMESPACE_RATE: Rate = { burst: 30, perMinute: 30 };
const MAX_DOMAINS = 1_000;
const MAX_CACHE_ENTRIES = 10_000;
/** How long a failure is returned without another attempt. */
const FAILURE_TTL_MS = 5_000;
const SEARCH_INTERVAL_MS = 60_000;
/** How long a written namespace counts as existing even though caches do not contain it yet. */
const WRITE_INTERVAL_MS = 10_000;

/**
 * Namespaces of projects at Fairway's API. Each namespace is created when a user with a role in the project first signs
 * in, with RoleBindings for the project's groups. **Guarantees.** Only the annotation `fairway.dev/project-id` assigns
 * a namespace to a project, regardless of the namespace's name; a namespace of another project, or lacking the
 * annotation, is never taken over. Crash-safe: the digest of the roles is written last, so the next request completes a
 * partial setup.
 */
export class ProjectNamespaces {
  readonly #options: ProjectNamespacesOptions;
  readonly #digest: string;
  readonly #ignoredProjects: ReadonlySet<string>;
  readonly #names = new RecentMap<string>(MAX_CACHE_ENTRIES);
  readonly #lastWrites = new RecentMap<number>(MAX_CACHE_ENTRIES);
  readonly #lastSearches = new RecentMap<number>(MAX_CACHE_ENTRIES);
  readonly #failed = new RecentMap<{ readonly error: unknown; readonly untilMs: number }>(MAX_CACHE_ENTRIES);
  readonly #creations = new Map<string, Promise<string>>();
  readonly #newNamespaceRate = new TokenBuckets(NEW_NAMESPACE_RATE, MAX_DOMAINS);

  constructor(options: ProjectNamespacesOptions) {
    this.#options = options;
    this.#digest = rolesDigest(options.settings.roles);
    this.#ignoredProjects = new Set(options.settings.ignoredProjects);
  }

  /**
   * The namespace of the user's project. Undefined if the token has no project, none of its roles is mapped, or the
   * operator excludes the project. Throws an ApiError: 403 if a namespace with that name belongs to someone else, 429
   * if too many are created for a domain, or the API's error.
   */
  async of({ project, roles }: KeystoneUser): Promise<string | undefined> {
    if (project === undefined || this.#ignoredProjects.has(project.id)) return undefined;
    const hasMappedRole = roles.some((role) => Object.hasOwn(this.#options.settings.roles, role));
    const known = this.#known(project) ?? (hasMappedRole ? undefined : this.#searchIfDue(project));
    // A role that is no longer mapped may still be bound.
    if (known === undefined && !hasMappedRole) return undefined;
    const name = await this.#withBindings(project, known);
    return hasMappedRole ? name : undefined;
  }

  async #withBindings(project: ProjectRef, known: Namespace | undefined): Promise<string | undefined> {
    if (known?.metadata.annotations?.[ROLES_ANNOTATION] === this.#digest) return known.metadata.name;
    const nowMs = this.#options.clock.now();
    const name = this.#names.get(project.id);
    if (name !== undefined && nowMs < (this.#lastWrites.get(project.id) ?? 0) + WRITE_INTERVAL_MS) return name;
    const failed = this.#failed.get(project.id);
    if (failed !== undefined && nowMs < failed.untilMs) throw failed.error;
    const running = this.#creations.get(project.id);
    if (running !== undefined) return running;
    const creation = this.#make(project, known ?? this.#search(project)).finally(() =>
      this.#creations.delete(project.id),
    );
    this.#creations.set(project.id, creation);
    return creation;
  }

  /** Finds the namespace by its last known name, or by the name that a new namespace would get. */
  #known(project: ProjectRef): Namespace | undefined {
    const reader = this.#options.reader();
    for (const name of [this.#names.get(project.id), namespaceName(this.#options.settings.namespaceFormat, project)]) {
      const namespace = name === undefined ? undefined : reader.get(Namespaces, '', name);
      if (namespace !== undefined && projectIdOf(namespace) === project.id) return namespace;
    }
    return undefined;
  }

  /** Searches all namespaces: projects may have been renamed, and operators may have created namespaces for them. */
  #search({ id }: ProjectRef): Namespace | undefined {
    const found = this.#options
      .reader()
      .list(Namespaces)
      .find((namespace) => projectIdOf(namespace) === id);
    if (found?.metadata.name !== undefined) this.#names.set(id, found.metadata.name);
    return found;
  }

  /** Rate-limits the search: otherwise users without a mapped role would cause a search on each request. */
  #searchIfDue(project: ProjectRef): Namespace | undefined {
    const nowMs = this.#options.clock.now();
    if (nowMs < (this.#lastSearches.get(project.id) ?? 0) + SEARCH_INTERVAL_MS) return undefined;
    this.#lastSearches.set(project.id, nowMs);
    return this.#search(project);
  }

  async #make(project: ProjectRef, found: Namespace | undefined): Promise<string> {
    const { clock } = this.#options;
    try {
      const namespace = found ?? (await this.#create(project));
      const { name = '' } = namespace.metadata;
      if (namespace.metadata.deletionTimestamp !== undefined) {
        const message = `namespace ${name} of your project ${project.id} is being deleted: try again once it is deleted`;
        throw new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 5 });
      }
      await this.#bind(name, project.id);
      const annotations = { [ROLES_ANNOTATION]: this.#digest };
      await this.#options
        .client()
        .resource(Namespaces)
        .patch(name, { type: 'merge', value: { metadata: { annotations } } });
      this.#names.set(project.id, name);
      this.#lastWrites.set(project.id, clock.now());
      this.#failed.delete(project.id);
      return name;
    } catch (error) {
      this.#failed.set(project.id, { error, untilMs: clock.now() + FAILURE_TTL_MS });
      throw error;
    }
  }

  async #create(project: ProjectRef): Promise<Namespace> {
    const { settings, clock } = this.#options;
    const name = namespaceName(settings.namespaceFormat, project);
    if (!this.#newNamespaceRate.tryTake(project.domain.id, clock.now())) {
      throw tooManyRequests(
        `Too many requests, please try again later: at most ${NEW_NAMESPACE_RATE.perMinute} namespaces per minute are created for projects of one domain`,
        5,
      );
    }
    const metadata = {
      name,
      labels: { [PROJECT_LABEL]: project.id },
      annotations: { [PROJECT_ID_ANNOTATION]: project.id },
    };
    try {
      return await this.#options
        .client()
        .resource(Namespaces)
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
    // The namespace was created by another replica, or belongs to no project.
    const existing = await this.#options.client().resource(Namespaces).get(name);
    if (projectIdOf(existing) === project.id) return existing;
    throw new ApiError(
      403,
      'Forbidden',
      `namespace ${name} already exists and does not belong to your project ${project.id}: the operator can assign it with the annotation ${PROJECT_ID_ANNOTATION}, or configure another naming pattern`,
    );
  }

  async #bind(namespace: string, projectId: string): Promise<void> {
    const resource = this.#options.client().resource(RoleBindings);
    const desiredBindings = roleBindings(namespace, projectId, this.#options.settings.roles);
    for (const binding of desiredBindings) {
      try {
        await resource.create(binding);
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
        const { labels, name = '' } = binding.metadata;
        const value = { metadata: { labels }, subjects: binding.subjects };
        await resource.patch(name, { type: 'merge', value }, { namespace });
      }
    }
    const names = new Set(desiredBindings.map(({ metadata }) => metadata.name));
    const { items } = await resource.list({ namespace, labelSelector: PROJECT_LABEL });
    for (const { metadata } of items) {
      if (!names.has(metadata.name)) await ignoreDeleted(resource.delete(metadata.name ?? '', { namespace }));
    }
  }
}
