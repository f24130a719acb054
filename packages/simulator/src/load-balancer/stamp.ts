import type { World } from '../world.ts';
import type { TreeObject } from './records.ts';

/** A time in Octavia's format: UTC without a zone. */
export function octaviaTime(world: World): string {
  return new Date(world.clock.now()).toISOString().slice(0, 19);
}

interface TreeObjectFields {
  readonly admin_state_up?: boolean | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

/** The fields that every new object in a load balancer's tree has. */
export function newTreeObject(world: World, projectId: string, fields: TreeObjectFields): TreeObject {
  return {
    id: world.ids.uuid(),
    project_id: projectId,
    provisioning_status: 'PENDING_CREATE',
    operating_status: 'OFFLINE',
    admin_state_up: fields.admin_state_up === undefined ? true : fields.admin_state_up === true,
    tags: [...new Set(fields.tags ?? [])],
    created_at: octaviaTime(world),
    updated_at: null,
  };
}

/** The row with the fields of a request applied; fields that are absent from the request do not change. */
export function changed<R extends object>(row: R, fields: { readonly [K in keyof R]?: R[K] | undefined }): R {
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { ...row, ...set };
}
