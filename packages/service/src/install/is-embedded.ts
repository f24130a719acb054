/** Whether an API server with this version string is that of `fairway up`. */
export function isEmbedded(gitVersion: string): boolean {
  return gitVersion.includes('+fairway-');
}
