import { texts } from '../../text/texts.ts';

export const credentialsTexts = texts(
  {
    'issued.title': 'Valid kubeconfigs',
    'issued.none': 'None in Fairway’s events. The audit log is complete.',
    'issued.until': '{user}, until {time}',
    'revoke.do': 'Revoke all kubeconfigs…',
    'revoke.title': 'Revoke all kubeconfigs of {name}?',
    'revoke.body':
      'The API server restarts and rejects all kubeconfigs issued before, including those of other users. Users with access can get a new one. Nodes, pods and service accounts are not affected.',
    'revoke.button': 'Revoke all',
    'revoke.last': 'All kubeconfigs from before {time} have been revoked.',
    'revoke.running': 'Kubeconfigs are being revoked.',
    'rotation.title': 'Certificate authorities and keys',
    'rotation.end': 'The first certificate authority expires on {time}.',
    'rotation.Stable': 'No rotation is in progress.',
    'rotation.Preparing': 'New authorities are being created, and nodes are being replaced so that they trust both.',
    'rotation.Prepared':
      'All components trust both. You can stay in this phase as long as you need. Get new kubeconfigs and renew tokens that are not renewed automatically; then complete the rotation.',
    'rotation.Completing': 'The old authorities are being removed, along with everything they have signed.',
    'rotation.nodes': '{renewed} of {total} nodes trust the new authorities.',
    'rotate.do': 'Rotate…',
    'rotate.title': 'Rotate the certificate authorities and keys of {name}?',
    'rotate.body':
      'No access is lost yet: new authorities are created, and all nodes are replaced by the strategy of their pools. A rotation can’t be cancelled, only completed.',
    'rotate.button': 'Start the rotation',
    'complete.do': 'Complete the rotation…',
    'complete.title': 'Complete the rotation of {name}?',
    'complete.body':
      'The old authorities and keys are deleted. Kubeconfigs, tokens and certificates from before the rotation stop working.',
    'complete.button': 'Complete',
  },
  {
    de: {
      'issued.title': 'Gültige Kubeconfigs',
      'issued.none': 'Keine in den Ereignissen von Fairway. Vollständig ist das Audit-Log.',
      'issued.until': '{user}, bis {time}',
      'revoke.do': 'Alle Kubeconfigs widerrufen …',
      'revoke.title': 'Alle Kubeconfigs von {name} widerrufen?',
      'revoke.body':
        'Der API-Server startet neu und lehnt alle zuvor ausgestellten Kubeconfigs ab, auch die anderer Benutzer. Berechtigte Benutzer können eine neue abrufen. Knoten, Pods und Dienstkonten sind nicht betroffen.',
      'revoke.button': 'Alle widerrufen',
      'revoke.last': 'Alle Kubeconfigs von vor {time} sind widerrufen.',
      'revoke.running': 'Kubeconfigs werden widerrufen.',
      'rotation.title': 'Zertifizierungsstellen und Schlüssel',
      'rotation.end': 'Die erste Zertifizierungsstelle läuft am {time} ab.',
      'rotation.Stable': 'Es läuft keine Rotation.',
      'rotation.Preparing':
        'Neue Zertifizierungsstellen werden erzeugt, und die Knoten werden ersetzt, damit sie beiden vertrauen.',
      'rotation.Prepared':
        'Alle Komponenten vertrauen beiden. Sie können beliebig lange in dieser Phase bleiben. Rufen Sie neue Kubeconfigs ab, erneuern Sie Tokens, die nicht automatisch erneuert werden, und schließen Sie dann die Rotation ab.',
      'rotation.Completing': 'Die alten Zertifizierungsstellen werden entfernt, mit allem, was sie signiert haben.',
      'rotation.nodes': '{renewed} von {total} Knoten vertrauen den neuen Zertifizierungsstellen.',
      'rotate.do': 'Rotieren …',
      'rotate.title': 'Zertifizierungsstellen und Schlüssel von {name} rotieren?',
      'rotate.body':
        'Noch geht kein Zugang verloren: Neue Zertifizierungsstellen werden erzeugt, und alle Knoten werden nach der Strategie ihrer Pools ersetzt. Eine Rotation lässt sich nicht abbrechen, nur abschließen.',
      'rotate.button': 'Rotation starten',
      'complete.do': 'Rotation abschließen …',
      'complete.title': 'Die Rotation von {name} abschließen?',
      'complete.body':
        'Die alten Zertifizierungsstellen und Schlüssel werden gelöscht. Kubeconfigs, Tokens und Zertifikate von vor der Rotation funktionieren dann nicht mehr.',
      'complete.button': 'Abschließen',
    },
  },
);
