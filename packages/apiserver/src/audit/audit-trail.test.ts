import { expect, test } from 'vitest';
import { AuditTrail } from './audit-trail.ts';

test('ignores the decision of a webhook that is called as an authorizer', () => {
  const path = '/api/v1/namespaces/red/secrets';
  const request = { auditId: 'a-1', method: 'POST', path, query: new URLSearchParams(), headers: {}, peer: undefined };
  const trail = new AuditTrail(request, 0, () => ({
    level: 'Metadata',
    omitStages: new Set(),
    omitManagedFields: false,
  }));
  trail.recordDecision({ allowed: true, reason: 'by a role' });
  trail.addAnnotation('authorization.k8s.io/decision', 'forbid');
  trail.addAnnotation('hooks.example.org/seen', 'yes');
  trail.addAnnotation('fairway.dev/dry-run', 'true');

  expect(trail.event({ status: 201 }, { endedMs: 0, level: 'Metadata', isSecret: false }).annotations).toEqual({
    'authorization.k8s.io/decision': 'allow',
    'authorization.k8s.io/reason': 'by a role',
    'hooks.example.org/seen': 'yes',
  });
});
