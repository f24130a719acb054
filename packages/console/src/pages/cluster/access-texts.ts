import { texts } from '../../text/texts.ts';

export const accessTexts = texts(
  {
    'api.title': 'API server',
    'api.none': 'The API server does not exist yet.',
    'once.title': 'Temporary kubeconfig',
    'once.body':
      'It contains a credential in your name for kubectl and other tools. It can’t be revoked individually before it expires, so choose a short time.',
    'once.expiry': 'Valid for',
    'once.expiry.600': '10 minutes',
    'once.expiry.3600': '1 hour',
    'once.expiry.28800': '8 hours',
    'once.expiry.86400': '24 hours',
    'once.do': 'Download kubeconfig',
    'once.made': 'Saved as {file}. It is valid until {time}.',
    'once.then': 'Then, in the folder of the file',
    'cli.title': 'Equivalent command',
    'cli.body': 'The command creates a new kubeconfig each time, and can merge it into your default kubeconfig.',
    'cli.label': 'Command for a kubeconfig',
    'exec.title': 'Kubeconfig without secrets',
    'exec.body':
      'For Fairway’s own API (clusters, node pools), kubectl can sign you in on each call. You can share such a kubeconfig: it contains no credential.',
    'exec.label': 'Command for a kubeconfig without secrets',
  },
  {
    de: {
      'api.title': 'Der API-Server',
      'api.none': 'Der API-Server existiert noch nicht.',
      'once.title': 'Befristete Kubeconfig',
      'once.body':
        'Sie enthält Zugangsdaten in Ihrem Namen für kubectl und andere Werkzeuge. Sie lässt sich vor dem Ablauf nicht einzeln widerrufen; wählen Sie deshalb eine kurze Gültigkeit.',
      'once.expiry': 'Gültig für',
      'once.expiry.600': '10 Minuten',
      'once.expiry.3600': '1 Stunde',
      'once.expiry.28800': '8 Stunden',
      'once.expiry.86400': '24 Stunden',
      'once.do': 'Kubeconfig herunterladen',
      'once.made': 'Gespeichert als {file}. Sie gilt bis {time}.',
      'once.then': 'Anschließend im Ordner der Datei',
      'cli.title': 'Entsprechender Befehl',
      'cli.body':
        'Der Befehl erzeugt jedes Mal eine neue Kubeconfig und kann sie in Ihre Standard-Kubeconfig einfügen.',
      'cli.label': 'Befehl für eine Kubeconfig',
      'exec.title': 'Kubeconfig ohne Geheimnisse',
      'exec.body':
        'Für die API von Fairway selbst (Cluster, Knotenpools) kann kubectl Sie bei jedem Aufruf anmelden. Eine solche Kubeconfig dürfen Sie weitergeben: Sie enthält keine Zugangsdaten.',
      'exec.label': 'Befehl für eine Kubeconfig ohne Geheimnisse',
    },
  },
);
