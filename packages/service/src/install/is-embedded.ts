/** Whether an API server of this version is that of a `fairway up`, by what it says of itself. */
export function isEmbedded(gitVersion: string): boolean {
  return gitVersion.includes('+fairway-');
}
