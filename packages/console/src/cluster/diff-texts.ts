import { texts } from '../text/texts.ts';

export const diffTexts = texts(
  {
    title: 'Changes',
    more: 'unchanged lines',
    added: 'added',
    removed: 'removed',
    kubectl: 'Equivalent kubectl command',
    command: 'Command',
  },
  {
    de: {
      title: 'Änderungen',
      more: 'unveränderte Zeilen',
      added: 'hinzugefügt',
      removed: 'entfernt',
      kubectl: 'Entsprechender kubectl-Befehl',
      command: 'Befehl',
    },
  },
);
