/** Tags that say that there is no such image, as people write them to see what happens. */
const MISSING_TAG = /^(?:404|non-?existent|does-not-exist|not-found)$/;

/** Whether a hollow node can't pull the image: `webserver:404`, `foo:non-existent`. Any other one is there. */
export function isMissing(image = ''): boolean {
  const [reference = ''] = image.split('@');
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const colon = name.indexOf(':');
  return colon !== -1 && MISSING_TAG.test(name.slice(colon + 1));
}
