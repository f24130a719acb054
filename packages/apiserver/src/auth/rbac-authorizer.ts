import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { PolicyRule, RoleRef, Subject } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from '@fairway/kube/kinds/resources';
import { type ApiError, notFound } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { ruleAllows } from './rbac-rules.ts';
import { isResourceRequest } from './request-attributes.ts';
import type { Authorizer, Decision, RequestAttributes, UserInfo } from './user.ts';
import { serviceAccountUsername } from './well-known-users.ts';

interface Binding extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

/** A binding, as seen by one of its subjects. */
interface Grant {
  /** The binding's index in its list: bindings are visited in this order, as in upstream. */
  readonly ordinal: number;
  readonly roleRef: RoleRef;
  readonly description: string;
}

/** Grants by subject: `user:<name>` or `group:<name>`; service accounts are users. */
type GrantIndex = ReadonlyMap<string, readonly Grant[]>;

export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Missing roles referenced by bindings, which mean that the list of rules may be incomplete. */
  readonly errors: readonly ApiError[];
}

/**
 * Called with each of a user's rules, or with the error that occurred when resolving one; returns false to stop the
 * iteration.
 */
type Visitor = (rule: PolicyRule | undefined, source: string, error: ApiError | undefined) => boolean;

/**
 * Role-based access control over the stored roles and bindings. Bindings are indexed by subject, per namespace, when
 * first needed; an index is dropped when a binding of its kind is written. A request costs a few map lookups.
 */
export class RbacAuthorizer implements Authorizer {
  readonly #clusterBindings: DerivedCache<GrantIndex>;
  readonly #bindings: DerivedCache<GrantIndex>;
  readonly #clusterRoles: DerivedCache<readonly PolicyRule[] | undefined>;
  readonly #roles: DerivedCache<readonly PolicyRule[] | undefined>;

  constructor(reader: ObjectReader) {
    this.#clusterBindings = new DerivedCache(reader, ClusterRoleBindings, () =>
      grantIndex('ClusterRoleBinding', reader.list(ClusterRoleBindings), ''),
    );
    this.#bindings = new DerivedCache(reader, RoleBindings, (namespace) =>
      grantIndex('RoleBinding', reader.list(RoleBindings, namespace), namespace),
    );
    this.#clusterRoles = new DerivedCache(reader, ClusterRoles, (_, name) =>
      rulesOf(reader.get(ClusterRoles, '', name)),
    );
    this.#roles = new DerivedCache(reader, Roles, (namespace, name) => rulesOf(reader.get(Roles, namespace, name)));
  }

  authorize(attributes: RequestAttributes): Decision {
    const namespace = isResourceRequest(attributes) ? attributes.namespace : '';
    const errors: ApiError[] = [];
    let allowedBy: string | undefined;
    this.#visit(attributes.user, namespace, (rule, source, error) => {
      if (error !== undefined) errors.push(error);
      else if (rule !== undefined && ruleAllows(rule, attributes)) allowedBy = source;
      return allowedBy === undefined;
    });
    if (allowedBy !== undefined) return { allowed: true, reason: `RBAC: allowed by ${allowedBy}` };
    return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` };
  }

  /** All of the user's rules in the namespace, including rules from cluster role bindings. */
  rulesFor(user: UserInfo, namespace: string): UserRules {
    const rules: PolicyRule[] = [];
    const errors: ApiError[] = [];
    this.#visit(user, namespace, (rule, _source, error) => {
      if (rule !== undefined) rules.push(rule);
      if (error !== undefined) errors.push(error);
      return true;
    });
    return { rules, errors };
  }

  /**
   * The rules of the role that a binding in `namespace` ('' for a cluster role binding) references, or why there are
   * none.
   */
  rulesOfReference(roleRef: Pick<RoleRef, 'kind' | 'name'>, namespace: string): readonly PolicyRule[] | ApiError {
    const isClusterRole = roleRef.kind === 'ClusterRole';
    const rules = isClusterRole ? this.#clusterRoles.get('', roleRef.name) : this.#roles.get(namespace, roleRef.name);
    if (rules !== undefined) return rules;
    const resource = isClusterRole ? 'clusterrole' : 'role';
    return notFound({ group: 'rbac.authorization.k8s.io', resource, name: roleRef.name });
  }

  #visit(user: UserInfo, namespace: string, visitor: Visitor): void {
    if (!this.#visitGrants(this.#clusterBindings.get('', ''), user, '', visitor) || namespace === '') return;
    this.#visitGrants(this.#bindings.get(namespace, ''), user, namespace, visitor);
  }

  #visitGrants(index: GrantIndex, user: UserInfo, namespace: string, visitor: Visitor): boolean {
    for (const { roleRef, description } of grantsOf(index, user)) {
      const rules = this.rulesOfReference(roleRef, namespace);
      if ('code' in rules) {
        if (!visitor(undefined, description, rules)) return false;
        continue;
      }
      for (const rule of rules) if (!visitor(rule, description, undefined)) return false;
    }
    return true;
  }
}

const MAX_CACHE_ENTRIES = 10_000;

/** A cache derived from the objects of one kind and invalidated when any of them is written. */
class DerivedCache<V> {
  readonly #reader: ObjectReader;
  readonly #type: ResourceType;
  readonly #derive: (namespace: string, name: string) => V;
  readonly #values = new Map<string, V>();
  #revision = Number.NaN;

  constructor(reader: ObjectReader, type: ResourceType, derive: (namespace: string, name: string) => V) {
    this.#reader = reader;
    this.#type = type;
    this.#derive = derive;
  }

  get(namespace: string, name: string): V {
    const revision = this.#reader.revisionOf(this.#type);
    if (revision !== this.#revision) {
      this.#values.clear();
      this.#revision = revision;
    }
    const key = `${namespace}/${name}`;
    // Clients can request any namespace, so nonexistent namespaces must not fill up the cache.
    if (this.#values.size >= MAX_CACHE_ENTRIES) this.#values.clear();
    if (!this.#values.has(key)) this.#values.set(key, this.#derive(namespace, name));
    return this.#values.get(key) as V;
  }
}

function rulesOf(role: { readonly rules?: readonly PolicyRule[] } | undefined): readonly PolicyRule[] | undefined {
  return role && (role.rules ?? []);
}

function grantIndex(kind: string, bindings: readonly Binding[], namespace: string): GrantIndex {
  const index = new Map<string, Grant[]>();
  for (const [ordinal, { metadata, roleRef, subjects = [] }] of bindings.entries()) {
    const name = namespace === '' ? metadata.name : `${metadata.name}/${namespace}`;
    const source = `${kind} ${JSON.stringify(name)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)}`;
    for (const subject of subjects) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const grants = index.get(key);
      if (grants?.at(-1)?.ordinal === ordinal) continue;
      const grant = { ordinal, roleRef, description: `${source} to ${describeSubject(subject, namespace)}` };
      if (grants === undefined) index.set(key, [grant]);
      else grants.push(grant);
    }
  }
  return index;
}

function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return `user:${subject.name}`;
    case 'Group':
      return `group:${subject.name}`;
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === '' ? undefined : `user:${serviceAccountUsername(namespace, subject.name)}`;
    }
    default:
      return undefined;
  }
}

function describeSubject(subject: Subject, bindingNamespace: string): string {
  if (subject.kind !== 'ServiceAccount') return `${subject.kind} ${JSON.stringify(subject.name)}`;
  return `${subject.kind} ${JSON.stringify(`${subject.name}/${subject.namespace || bindingNamespace}`)}`;
}

/** The user's grants in the order of the bindings, each binding once. */
function grantsOf(index: GrantIndex, user: UserInfo): readonly Grant[] {
  const own = index.get(`user:${user.username}`) ?? [];
  const all = [...own, ...user.groups.flatMap((group) => index.get(`group:${group}`) ?? [])];
  if (all.length < 2) return all;
  all.sort((left, right) => left.ordinal - right.ordinal);
  return all.filter((grant, position) => grant.ordinal !== all[position - 1]?.ordinal);
}

/** Several errors, formatted like apimachinery's Aggregate. */
function aggregate(errors: readonly ApiError[]): string {
  const messages = [...new Set(errors.map((error) => error.message))];
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}
