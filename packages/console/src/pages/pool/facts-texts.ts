import { texts } from '../../text/texts.ts';

export const factsTexts = texts(
  {
    title: 'More settings',
    help: 'Change them in YAML, with fairway or with kubectl.',
    antiAffinity: 'On separate hypervisors',
    Hard: 'required',
    Soft: 'preferred',
    networks: 'Additional networks',
    securityGroups: 'Custom security groups',
    serverTags: 'Server tags',
    serverMetadata: 'Server metadata',
    kubelet: 'Kubelet settings',
  },
  {
    de: {
      title: 'Weitere Einstellungen',
      help: 'Sie werden in YAML, mit fairway oder mit kubectl geändert.',
      antiAffinity: 'Auf getrennten Hypervisoren',
      Hard: 'erforderlich',
      Soft: 'bevorzugt',
      networks: 'Weitere Netzwerke',
      securityGroups: 'Eigene Sicherheitsgruppen',
      serverTags: 'Server-Tags',
      serverMetadata: 'Server-Metadaten',
      kubelet: 'Kubelet-Einstellungen',
    },
  },
);
