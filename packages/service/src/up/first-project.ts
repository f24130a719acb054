import type { Logger } from '@fairway/base/log';
import { type KeystoneUser, keystoneUser } from '@fairway/identity/keystone-user';
import type { ProjectNamespaces } from '@fairway/identity/project-namespaces';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { type CloudOpening, openCloud } from './clouds.ts';

/**
 * The user of a clouds.yaml entry, with its project and its roles there, according to Keystone. Rejects with the
 * login's error.
 */
export async function userOfEntry(
  cloudsYaml: CloudsYaml,
  name: string,
  opening: CloudOpening,
): Promise<KeystoneUser | undefined> {
  await using cloud = new AsyncDisposableStack();
  const opened = cloud.adopt(openCloud(cloudsYaml, name, opening), (each) => each.close());
  const { token } = await opened.client().session.token();
  return keystoneUser(token, opening.clock.now());
}

/**
 * The namespace of a user's project, created in the same way as at their first sign-in; undefined if the user gets no
 * namespace. An error does not fail startup: it is logged, and reported when the user signs in.
 */
export async function namespaceOfUser(
  user: KeystoneUser,
  namespaces: Pick<ProjectNamespaces, 'of'>,
  log: Logger,
): Promise<string | undefined> {
  try {
    return await namespaces.of(user);
  } catch (error) {
    log.warn({ err: error, project: user.project?.id }, 'the project of the simulated cloud has no namespace');
    return undefined;
  }
}
