/** Tags that people use to simulate a missing image. */
const MISSING_TAG = /^(?:404|non-?existent|does-not-exist|not-found)$/;

/** Whether a hollow node can't pull the image: `webserver:404`, `foo:non-existent`. Any other image exists. */
export function isMissing(image = ''): boolean {
  return MISSING_TAG.test(nameAndTag(image)[1] ?? '');
}

/** Images that run a shell, which exits immediately without a terminal or a command. */
const SHELLS = new Set(['busybox', 'alpine', 'debian', 'ubuntu', 'bash']);

export function isShell(image = ''): boolean {
  return SHELLS.has(nameAndTag(image)[0] ?? '');
}

function nameAndTag(image: string): readonly string[] {
  const [reference = ''] = image.split('@');
  return reference.slice(reference.lastIndexOf('/') + 1).split(':');
}
