/** Name of the project with this number: its entry in clouds.yaml, its user, and the namespace of its clusters. */
export function projectName(project: number): string {
  return `team-${project}`;
}
