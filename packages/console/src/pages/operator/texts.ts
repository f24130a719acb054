import { texts } from '../../text/texts.ts';

export const operatorTexts = texts(
  {
    'confirm.cancel': 'Cancel',
    'confirm.same': 'The same with kubectl:',
    'confirm.failed': 'It was not done',
    'state.attention': '{count} to look at',
    'state.progress': '{count} in progress',
    'state.ready': '{count} ready',
    'state.asleep': '{count} asleep',
  },
  {
    de: {
      'confirm.cancel': 'Abbrechen',
      'confirm.same': 'Dasselbe mit kubectl:',
      'confirm.failed': 'Es wurde nicht ausgeführt',
      'state.attention': '{count} zu prüfen',
      'state.progress': '{count} in Arbeit',
      'state.ready': '{count} bereit',
      'state.asleep': '{count} im Ruhezustand',
    },
  },
);
