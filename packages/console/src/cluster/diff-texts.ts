import { texts } from '../text/texts.ts';

export const diffTexts = texts(
  {
    title: 'What would change',
    more: 'lines that stay',
    added: 'added',
    removed: 'removed',
    kubectl: 'The same with kubectl',
    command: 'Command',
  },
  {
    de: {
      title: 'Was sich ändern würde',
      more: 'Zeilen, die bleiben',
      added: 'neu',
      removed: 'entfällt',
      kubectl: 'Dasselbe mit kubectl',
      command: 'Befehl',
    },
  },
);
