import { texts } from '../../text/texts.ts';

export const operatorTexts = texts(
  {
    'confirm.do': 'Do it',
    'confirm.cancel': 'Cancel',
    'confirm.same': 'The same with kubectl:',
    'confirm.failed': 'It was not done',
    'turn.fairway': 'Fairway',
    'turn.user': 'Tenant',
    'turn.operator': 'Operator',
    'turn.cloud': 'Cloud',
    'state.attention': '{count} to look at',
    'state.progress': '{count} in progress',
    'state.ready': '{count} ready',
    'state.asleep': '{count} asleep',
    none: '–',
  },
  {
    de: {
      'confirm.do': 'Ausführen',
      'confirm.cancel': 'Abbrechen',
      'confirm.same': 'Dasselbe mit kubectl:',
      'confirm.failed': 'Es wurde nicht ausgeführt',
      'turn.fairway': 'Fairway',
      'turn.user': 'Mandant',
      'turn.operator': 'Betrieb',
      'turn.cloud': 'Cloud',
      'state.attention': '{count} zu prüfen',
      'state.progress': '{count} in Arbeit',
      'state.ready': '{count} bereit',
      'state.asleep': '{count} im Ruhezustand',
      none: '–',
    },
  },
);
