import type { KubeObject, ResourceType } from '../object/meta.ts';
import type { Informer } from './informer.ts';

/**
 * A cache of all objects of one kind that controllers read and watch: an Informer, or objects created by this process
 * itself.
 */
export interface ObjectSource<T extends KubeObject>
  extends Pick<Informer<T>, 'get' | 'list' | 'find' | 'addIndex' | 'addHandler' | 'whenSynced'> {
  readonly type: ResourceType<T>;
}
