import { texts } from '../../text/texts.ts';

export const credentialsTexts = texts(
  {
    'issued.title': 'Kubeconfigs that are valid now',
    'issued.none': 'None that Fairway’s events tell of. The audit log has all.',
    'issued.until': '{user}, until {time}',
    'revoke.do': 'Revoke all kubeconfigs…',
    'revoke.title': 'Revoke all kubeconfigs of {name}?',
    'revoke.body':
      'The API server starts again and lets in no kubeconfig that was issued before, nobody’s. Whoever may still have one gets a new one. Nodes, pods and service accounts are not affected.',
    'revoke.button': 'Revoke all',
    'revoke.last': 'All from before {time} have been revoked.',
    'revoke.running': 'Kubeconfigs are being revoked.',
    'rotation.title': 'Authorities and keys',
    'rotation.end': 'The first authority ends on {time}.',
    'rotation.Stable': 'No rotation is under way.',
    'rotation.Preparing': 'The next ones are made, and nodes are renewed so that they trust both.',
    'rotation.Prepared':
      'Everything trusts both, as long as you like. Get new kubeconfigs and renew tokens that nobody renews for you; then complete the rotation.',
    'rotation.Completing': 'The former ones go, with all that they have signed.',
    'rotation.nodes': '{renewed} of {total} nodes trust the next ones.',
    'rotate.do': 'Rotate…',
    'rotate.title': 'Rotate the authorities and keys of {name}?',
    'rotate.body':
      'Nothing is locked out yet: the next authorities are made, and all nodes are renewed by the strategy of their pools. It can’t be taken back, only completed.',
    'rotate.button': 'Begin the rotation',
    'complete.do': 'Complete the rotation…',
    'complete.title': 'Complete the rotation of {name}?',
    'complete.body':
      'The former authorities and keys are deleted. Kubeconfigs, tokens and certificates from before the rotation fail from then on.',
    'complete.button': 'Complete it',
  },
  {
    de: {
      'issued.title': 'Kubeconfigs, die jetzt gültig sind',
      'issued.none': 'Keine, von der Ereignisse von Fairway berichten. Das Audit-Log hat alle.',
      'issued.until': '{user}, bis {time}',
      'revoke.do': 'Alle Kubeconfigs widerrufen …',
      'revoke.title': 'Alle Kubeconfigs von {name} widerrufen?',
      'revoke.body':
        'Der API-Server startet neu und lässt mit keiner Kubeconfig von vorher mehr ein, wem auch immer sie gehört. Wer darf, holt sich eine neue. Knoten, Pods und Service-Accounts sind nicht betroffen.',
      'revoke.button': 'Alle widerrufen',
      'revoke.last': 'Alle von vor {time} sind widerrufen.',
      'revoke.running': 'Kubeconfigs werden gerade widerrufen.',
      'rotation.title': 'Autoritäten und Schlüssel',
      'rotation.end': 'Die erste Autorität endet am {time}.',
      'rotation.Stable': 'Es wird nichts ausgetauscht.',
      'rotation.Preparing': 'Die nächsten werden erzeugt, und Knoten werden erneuert, damit sie beiden vertrauen.',
      'rotation.Prepared':
        'Alles vertraut beiden, so lange Sie wollen. Holen Sie neue Kubeconfigs, erneuern Sie Tokens, die niemand für Sie erneuert, und schließen Sie dann ab.',
      'rotation.Completing': 'Die früheren verschwinden, mit allem, was sie signiert haben.',
      'rotation.nodes': '{renewed} von {total} Knoten vertrauen den nächsten.',
      'rotate.do': 'Austauschen …',
      'rotate.title': 'Autoritäten und Schlüssel von {name} austauschen?',
      'rotate.body':
        'Noch wird niemand ausgesperrt: Die nächsten Autoritäten werden erzeugt, und alle Knoten werden nach der Strategie ihrer Pools erneuert. Es lässt sich nicht zurücknehmen, nur abschließen.',
      'rotate.button': 'Austausch beginnen',
      'complete.do': 'Austausch abschließen …',
      'complete.title': 'Den Austausch von {name} abschließen?',
      'complete.body':
        'Die früheren Autoritäten und Schlüssel werden gelöscht. Kubeconfigs, Tokens und Zertifikate von vorher gelten dann nicht mehr.',
      'complete.button': 'Abschließen',
    },
  },
);
