/** The project with this number: its entry in clouds.yaml, its user, and the namespace of its clusters. */
export function entryOf(project: number): string {
  return `team-${project}`;
}
