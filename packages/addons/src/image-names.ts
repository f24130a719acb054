/** More than registries accept. Any user of a cluster may write a longer image name, which is then ignored. */
const MAX_IMAGE_CHARS = 4096;

/**
 * The last segment of an image's name without tag and digest, and the last two segments: `node`, `calico/node`. Pure.
 */
export function imageNames(image: string): readonly string[] {
  if (image.length > MAX_IMAGE_CHARS) return [];
  const [path = ''] = image.split('@', 1);
  const parts = path.split('/');
  const [last = ''] = (parts.pop() ?? '').split(':', 1);
  const owner = parts.pop();
  return owner === undefined ? [last] : [last, `${owner}/${last}`];
}
