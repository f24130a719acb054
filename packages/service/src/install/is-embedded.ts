/** Whether an API server of this version is that of a `fairway up`, according to its own version. */
export function isEmbedded(gitVersion: string): boolean {
  return gitVersion.includes('+fairway-');
}
