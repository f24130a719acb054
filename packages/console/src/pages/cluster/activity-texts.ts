import { texts } from '../../text/texts.ts';

export const activityTabTexts = texts(
  {
    title: 'Activity in the cluster',
    elsewhere: 'Changes to the cluster itself',
    off: 'Audit logging is not enabled',
    'off.body':
      'Fairway records requests to this cluster’s API server while spec.apiServer.audit is set. Earlier requests are not recorded.',
    'off.command': 'Command to enable it',
    'off.yaml': 'Set spec.apiServer.audit: {} in the YAML',
  },
  {
    de: {
      title: 'Aktivität im Cluster',
      elsewhere: 'Änderungen am Cluster selbst',
      off: 'Das Audit-Log ist nicht aktiviert',
      'off.body':
        'Fairway erfasst Anfragen an den API-Server dieses Clusters, solange spec.apiServer.audit gesetzt ist. Frühere Anfragen werden nicht erfasst.',
      'off.command': 'Befehl zum Aktivieren',
      'off.yaml': 'spec.apiServer.audit: {} im YAML setzen',
    },
  },
);
