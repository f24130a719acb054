import { texts } from '../../text/texts.ts';

export const accessTexts = texts(
  {
    'api.title': 'The API server',
    'api.none': 'The API server is not there yet.',
    'once.title': 'A kubeconfig for now',
    'once.body':
      'It holds a credential in your name, for kubectl and other tools. It can’t be taken back before it ends, so choose a short time.',
    'once.expiry': 'Valid for',
    'once.expiry.600': '10 minutes',
    'once.expiry.3600': '1 hour',
    'once.expiry.28800': '8 hours',
    'once.expiry.86400': '24 hours',
    'once.do': 'Download kubeconfig',
    'once.made': 'Saved as {file}. It is valid until {time}.',
    'once.then': 'Then, where you have saved it',
    'cli.title': 'The same from a terminal',
    'cli.body': 'The command makes a new kubeconfig each time, and can put it into the one that kubectl uses.',
    'cli.label': 'Command for a kubeconfig',
    'exec.title': 'Without any secret in a file',
    'exec.body':
      'For Fairway’s own API (clusters, node pools) kubectl can sign you in at each call. Such a kubeconfig can be shared: it holds no credential.',
    'exec.label': 'Command for a kubeconfig without secrets',
  },
  {
    de: {
      'api.title': 'Der API-Server',
      'api.none': 'Der API-Server ist noch nicht da.',
      'once.title': 'Eine kubeconfig für jetzt',
      'once.body':
        'Sie enthält Zugangsdaten in Ihrem Namen, für kubectl und andere Werkzeuge. Vor dem Ablauf lassen sie sich nicht zurücknehmen; wählen Sie also eine kurze Zeit.',
      'once.expiry': 'Gültig für',
      'once.expiry.600': '10 Minuten',
      'once.expiry.3600': '1 Stunde',
      'once.expiry.28800': '8 Stunden',
      'once.expiry.86400': '24 Stunden',
      'once.do': 'kubeconfig herunterladen',
      'once.made': 'Gespeichert als {file}. Sie gilt bis {time}.',
      'once.then': 'Danach, wo Sie sie gespeichert haben',
      'cli.title': 'Dasselbe im Terminal',
      'cli.body': 'Der Befehl macht jedes Mal eine neue kubeconfig und kann sie in die von kubectl einfügen.',
      'cli.label': 'Befehl für eine kubeconfig',
      'exec.title': 'Ohne Geheimnis in einer Datei',
      'exec.body':
        'Für die API von Fairway selbst (Cluster, Node-Pools) kann kubectl Sie bei jedem Aufruf anmelden. Eine solche kubeconfig dürfen Sie weitergeben: Sie enthält keine Zugangsdaten.',
      'exec.label': 'Befehl für eine kubeconfig ohne Geheimnisse',
    },
  },
);
