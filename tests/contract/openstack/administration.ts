import type { Scope } from '@fairway/openstack/auth/credential';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { ContractCloud } from './contract-cloud.ts';

/** Password of every created user. */
export const PASSWORD = 'Secret-1';

interface CreatedObject {
  readonly id: string;
}

/** Keystone as its administrator, who may create users. */
export class Administration {
  readonly #cloud: ContractCloud;

  constructor(cloud: ContractCloud) {
    this.#cloud = cloud;
  }

  async send(method: string, path: string, body?: object): Promise<unknown> {
    const token = (await this.#cloud.admin?.session.token())?.id ?? '';
    const response = await this.#cloud.raw('identity', method, path, { token, ...(body && { body }) });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response.json;
  }

  /** A user with a role in the tests' project, deleted at the end. `options` are Keystone's own. */
  async userWith(role: string, options?: object): Promise<TestUser> {
    const body = { user: { name: this.#cloud.name(), password: PASSWORD, ...(options && { options }) } };
    const { user } = (await this.send('POST', '/users', body)) as { user: CreatedObject };
    this.#cloud.defer(() => this.send('DELETE', `/users/${user.id}`));
    const roleId = await this.roleId(role);
    const project = { id: await this.#cloud.member.session.projectId() };
    await this.send('PUT', `/projects/${project.id}/users/${user.id}/roles/${roleId}`);
    const login = { kind: 'password', user: { id: user.id }, password: PASSWORD } as const;
    const as = (scope: Scope) => this.#cloud.cloud.client({ ...login, scope });
    return { id: user.id, roleId, as, client: as({ kind: 'project', project }) };
  }

  async roleId(name: string): Promise<string> {
    const { roles } = (await this.send('GET', `/roles?name=${name}`)) as { roles: readonly CreatedObject[] };
    return roles[0]?.id ?? '';
  }
}

interface TestUser {
  readonly id: string;
  readonly roleId: string;
  readonly as: (scope: Scope) => OpenStackClient;
  /** The user's credential in the project. */
  readonly client: OpenStackClient;
}
