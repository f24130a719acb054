import { unappliedPins } from '@fairway/addons/unapplied-pins';
import { dependentsOf, describeDependents, describeUsers } from '@fairway/api/domain/in-use';
import { unappliedWarnings } from '@fairway/api/domain/unapplied-fields';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { forbidden } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import { clustersByPlan, clustersByRelease } from '@fairway/tenancy/cache-indexes';
import type { StoredFacts } from './stored-facts.ts';

const INDEXES: Readonly<Record<string, CacheIndex<Cluster>>> = {
  [plans.plural]: clustersByPlan,
  [kubernetesReleases.plural]: clustersByRelease,
};

/** Warns about versions that a KubernetesRelease pins but clusters do not get. */
export function warnAboutPins(request: AdmissionRequest): void {
  const { resource, object, oldObject, subresource } = request;
  if (resource.plural !== kubernetesReleases.plural || subresource !== '' || object === undefined) return;
  const old = oldObject === undefined ? [] : unappliedPins(oldObject as KubernetesRelease);
  for (const warning of unappliedWarnings(unappliedPins(object as KubernetesRelease), old)) request.warn(warning);
}

/**
 * Refuses to delete a Plan or KubernetesRelease that clusters use or a Plan that others name in `limitsFrom`, and to remove a
 * patch version that clusters run from a release.
 */
export async function validateCatalogueChange(stored: StoredFacts, request: AdmissionRequest): Promise<void> {
  const { resource, operation, name, subresource } = request;
  const index = INDEXES[resource.plural];
  if (index === undefined || subresource !== '') return;
  if (operation === 'DELETE') {
    const subject = { group: resource.group, resource: resource.plural, name };
    const users = (await stored.allClusters()).filter((cluster) => new Set(index.valuesOf(cluster)).has(name));
    if (users.length > 0) {
      throw forbidden(subject, `${describeUsers(users)}: delete them first; a deletion cannot be undone`);
    }
    const dependents = resource.plural === plans.plural ? dependentsOf(name, await stored.plans()) : [];
    if (dependents.length === 0) return;
    const advice = 'change their spec.limitsFrom, or delete them first; a deletion cannot be undone';
    throw forbidden(subject, `${describeDependents(dependents)}: ${advice}`);
  }
  if (operation !== 'UPDATE' || resource.plural !== kubernetesReleases.plural) return;
  const removed = removedPatches(request.oldObject as KubernetesRelease, request.object as KubernetesRelease);
  if (removed.length === 0) return;
  const runs = Map.groupBy(await stored.allClusters(), ({ status }) => status?.version ?? '');
  const errors = removed.flatMap((version): FieldError[] => {
    const users = runs.get(version) ?? [];
    if (users.length === 0) return [];
    const detail = `${version} cannot be removed, because ${describeUsers(users)}; set withdrawn: true to prevent further use`;
    return [{ type: 'FieldValueForbidden', field: 'spec.patches', detail }];
  });
  if (errors.length > 0) throw invalid(kubernetesReleases, name, errors);
}

function removedPatches(old: KubernetesRelease, { spec }: KubernetesRelease): readonly string[] {
  const remainingVersions = new Set(spec.patches.map(({ version }) => version));
  return old.spec.patches.map(({ version }) => version).filter((version) => !remainingVersions.has(version));
}
