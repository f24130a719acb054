import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Identity } from '@fairway/openstack/identity/identity';

/** Keystone's side of what projects there are. */
export type ProjectReader = Pick<Identity, 'allProjects' | 'project'>;

/** All projects that a reader is told of, and the reader, to ask about single ones. */
export interface ProjectList {
  readonly ids: ReadonlySet<string>;
  readonly reader: ProjectReader;
}

/** Of the first reader that may list projects; undefined if none may. Rejects if Keystone can't be asked. */
export async function listProjects(readers: readonly ProjectReader[]): Promise<ProjectList | undefined> {
  for (const reader of readers) {
    try {
      const projects = await reader.allProjects({ priority: 'background' });
      return { ids: new Set(projects.map(({ id }) => id)), reader };
    } catch (error) {
      if (!isOpenStackError(error, 'forbidden') && !isOpenStackError(error, 'unauthorized')) throw error;
    }
  }
  return undefined;
}

/** Whether Keystone itself says that there is no such project: a list may be of one domain only, or cut. */
export async function isProjectGone({ reader }: ProjectList, id: string): Promise<boolean> {
  try {
    await reader.project(id, { priority: 'background' });
    return false;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return error.status === 404;
    if (isOpenStackError(error, 'forbidden')) return false;
    throw error;
  }
}
