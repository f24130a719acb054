import type { FieldError } from '@fairway/kube/object/field-error';
import { chooseImage } from '../domain/image-choice.ts';
import { allowanceProblem } from '../domain/plan-allowance.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CatalogueImage, CloudCatalogue } from './cloud-catalogue.ts';
import { findByIdOrName } from './references.ts';

/** The image that the controller selects for new nodes in the pool; undefined while unknown. */
function imageOfPool(
  { spec }: NodePool,
  cluster: Cluster | undefined,
  plan: Plan | undefined,
  { images = [], defaultImage }: CloudCatalogue,
): CatalogueImage | undefined {
  if (cluster === undefined && spec.image === undefined) return undefined;
  const desiredImage = spec.image ?? cluster?.spec.image ?? defaultImage;
  if (desiredImage !== undefined) return chooseImage(images, desiredImage);
  const allowed = images.filter((image) => plan === undefined || allowanceProblem(plan, 'images', image) === undefined);
  return chooseImage(allowed, undefined);
}

/** Image requirements that the pool's flavor or root volume does not meet: Nova would reject every such server. */
export function imageSizeErrors(
  pool: NodePool,
  cluster: Cluster | undefined,
  plan: Plan | undefined,
  catalogue: CloudCatalogue,
): FieldError[] {
  const image = imageOfPool(pool, cluster, plan, catalogue);
  if (image === undefined) return [];
  const { flavor: flavorName, rootVolume } = pool.spec;
  const flavor = catalogue.flavors && findByIdOrName(catalogue.flavors, flavorName);
  const errors: FieldError[] = [];
  // A flavor without a disk needs a root volume, which is reported separately.
  const diskGiB = rootVolume?.sizeGiB ?? (flavor?.diskGiB || undefined);
  if (diskGiB !== undefined && diskGiB < image.minDiskGiB) {
    const detail = `image "${image.name}" needs a disk of ${image.minDiskGiB} GiB, but the nodes have ${diskGiB}`;
    const field = rootVolume ? 'spec.rootVolume.sizeGiB' : 'spec.flavor';
    errors.push({ type: 'FieldValueInvalid', field, value: rootVolume?.sizeGiB ?? flavorName, detail });
  }
  if (flavor && flavor.memoryMiB < image.minMemoryMiB) {
    const detail = `image "${image.name}" needs ${image.minMemoryMiB} MiB of memory, but flavor "${flavor.name}" has ${flavor.memoryMiB}`;
    errors.push({ type: 'FieldValueInvalid', field: 'spec.flavor', value: flavorName, detail });
  }
  return errors;
}

/** Like `imageSizeErrors`, for a cluster's new image and the pools that boot from it. */
export function clusterImageErrors(
  cluster: Cluster,
  pools: readonly NodePool[],
  catalogue: CloudCatalogue,
): FieldError[] {
  const own = pools.filter(({ spec }) => spec.clusterName === cluster.metadata.name && spec.image === undefined);
  return own.flatMap((pool) =>
    imageSizeErrors(pool, cluster, undefined, catalogue).map(({ detail }): FieldError => {
      const words = `node pool "${pool.metadata.name}" uses it: ${detail}`;
      return { type: 'FieldValueInvalid', field: 'spec.image', value: cluster.spec.image, detail: words };
    }),
  );
}
