/** Longer than any registry accepts. Cluster users can write longer image names, which are ignored. */
const MAX_IMAGE_CHARS = 4096;

/**
 * The last segment of an image name, and the last two segments, without tag and digest: `node`, `calico/node`. Pure.
 */
export function imageNames(image: string): readonly string[] {
  if (image.length > MAX_IMAGE_CHARS) return [];
  const [path = ''] = image.split('@', 1);
  const parts = path.split('/');
  const [last = ''] = (parts.pop() ?? '').split(':', 1);
  const owner = parts.pop();
  return owner === undefined ? [last] : [last, `${owner}/${last}`];
}
