import type { CloudCredentialPhase } from '@fairway/api/kinds/cloud-credential';

/** The phase of a CloudCredential, from its status and the number of Clusters that use it. */
export function phaseOf(previous: CloudCredentialPhase | undefined, users: number): CloudCredentialPhase {
  if (users > 0) return 'Bound';
  return previous === 'Bound' || previous === 'Released' ? 'Released' : 'Available';
}
