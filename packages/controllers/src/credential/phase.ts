import type { CloudCredentialPhase } from '@fairway/api/kinds/cloud-credential';

/** How far a CloudCredential has come, by what was noted of it and how many Clusters name it now. */
export function phaseOf(previous: CloudCredentialPhase | undefined, users: number): CloudCredentialPhase {
  if (users > 0) return 'Bound';
  return previous === 'Bound' || previous === 'Released' ? 'Released' : 'Available';
}
