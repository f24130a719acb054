import { dns1123LabelErrors, dns1123SubdomainErrors } from '@fairway/kube/object/names';
import type { Environment } from '@marcbachmann/cel-js';
import type { Authorizer, Decision, RequestAttributes, ResourceAttributes, UserInfo } from '../auth/user.ts';
import { GROUP_AUTHENTICATED, serviceAccountGroups, serviceAccountUsername } from '../auth/well-known-users.ts';
import { charge } from './cel-budget.ts';

type Resource = Omit<ResourceAttributes, 'user' | 'verb'>;

/** Cost of one check: the same as upstream, so that an expression can make two. */
const CHECK_COST = 350_000;
const EMPTY_RESOURCE: Resource = { group: '', version: '*', resource: '', subresource: '', namespace: '', name: '' };

/** The `authorizer` variable in expressions (k8s.io/apiserver/pkg/cel/library/authz.go): permission checks. */
export class CelAuthorizer {
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
  /** The request's own resource. */
  readonly requestResource: ResourceCheck;

  constructor(authorizer: Authorizer, user: UserInfo, requestResource: Partial<Resource>) {
    this.authorizer = authorizer;
    this.user = user;
    this.requestResource = new ResourceCheck(this, { ...EMPTY_RESOURCE, ...requestResource });
  }

  serviceAccount(namespace: string, name: string): CelAuthorizer {
    if (dns1123LabelErrors(namespace).length > 0) throw new Error(`Invalid service account namespace`);
    if (dns1123SubdomainErrors(name).length > 0) throw new Error(`Invalid service account name`);
    const username = serviceAccountUsername(namespace, name);
    const groups = [...serviceAccountGroups(namespace), GROUP_AUTHENTICATED];
    return new CelAuthorizer(this.authorizer, { username, groups }, {});
  }

  /** Expressions are synchronous, so an authorizer that returns a promise counts as having no opinion. */
  authorize(attributes: RequestAttributes): CelDecision {
    charge(CHECK_COST);
    try {
      const decision = this.authorizer.authorize(attributes);
      if (!(decision instanceof Promise)) return new CelDecision(decision, '');
      decision.catch(() => undefined);
      return new CelDecision(DENIED, 'the authorizer does not respond synchronously');
    } catch (error) {
      return new CelDecision(DENIED, error instanceof Error ? error.message : String(error));
    }
  }
}

const DENIED: Decision = { allowed: false, reason: '' };

class PathCheck {
  readonly authorizer: CelAuthorizer;
  readonly path: string;

  constructor(authorizer: CelAuthorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck {
  readonly authorizer: CelAuthorizer;
  readonly group: string;

  constructor(authorizer: CelAuthorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

class ResourceCheck {
  readonly authorizer: CelAuthorizer;
  readonly resource: Resource;

  constructor(authorizer: CelAuthorizer, resource: Resource) {
    this.authorizer = authorizer;
    this.resource = resource;
  }

  with(fields: Partial<Resource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...fields });
  }
}

class CelDecision {
  readonly decision: Decision;
  readonly error: string;

  constructor(decision: Decision, error: string) {
    this.decision = decision;
    this.error = error;
  }
}

/** Declares the types and functions of `authorizer`. */
export function addAuthorizer(environment: Environment): void {
  environment
    .registerType('Decision', { ctor: CelDecision, fields: {} })
    .registerType('PathCheck', { ctor: PathCheck, fields: {} })
    .registerType('GroupCheck', { ctor: GroupCheck, fields: {} })
    .registerType('ResourceCheck', { ctor: ResourceCheck, fields: {} })
    .registerType('Authorizer', { ctor: CelAuthorizer, fields: { requestResource: 'ResourceCheck' } })
    .registerFunction('Authorizer.path(string): PathCheck', (authorizer: CelAuthorizer, path: string) => {
      if (path.trim() === '') throw new Error('path must not be empty');
      return new PathCheck(authorizer, path);
    })
    .registerFunction(
      'Authorizer.group(string): GroupCheck',
      (authorizer: CelAuthorizer, group: string) => new GroupCheck(authorizer, group),
    )
    .registerFunction(
      'Authorizer.serviceAccount(string, string): Authorizer',
      (authorizer: CelAuthorizer, namespace: string, name: string) => authorizer.serviceAccount(namespace, name),
    )
    .registerFunction('GroupCheck.resource(string): ResourceCheck', (check: GroupCheck, resource: string) => {
      if (resource.trim() === '') throw new Error('resource must not be empty');
      return new ResourceCheck(check.authorizer, { ...EMPTY_RESOURCE, group: check.group, resource });
    })
    .registerFunction('PathCheck.check(string): Decision', ({ authorizer, path }: PathCheck, verb: string) =>
      authorizer.authorize({ user: authorizer.user, verb, path }),
    )
    .registerFunction(
      'ResourceCheck.check(string): Decision',
      ({ authorizer, resource }: ResourceCheck, verb: string) =>
        authorizer.authorize({ user: authorizer.user, verb, ...resource }),
    )
    .registerFunction('Decision.allowed(): bool', ({ decision }: CelDecision) => decision.allowed)
    .registerFunction('Decision.reason(): string', ({ decision }: CelDecision) => decision.reason)
    .registerFunction('Decision.errored(): bool', ({ error }: CelDecision) => error !== '')
    .registerFunction('Decision.error(): string', ({ error }: CelDecision) => error);
  for (const field of ['subresource', 'namespace', 'name', 'fieldSelector'] as const) {
    environment.registerFunction(
      `ResourceCheck.${field}(string): ResourceCheck`,
      (check: ResourceCheck, value: string) => check.with({ [field]: value }),
    );
  }
  // No authorizer here evaluates label selectors.
  environment.registerFunction('ResourceCheck.labelSelector(string): ResourceCheck', (check: ResourceCheck) => check);
}
