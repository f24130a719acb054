import { texts } from '../../text/texts.ts';

export const operatorTexts = texts(
  {
    'state.attention': '{count} to look at',
    'state.progress': '{count} in progress',
    'state.ready': '{count} ready',
    'state.asleep': '{count} asleep',
  },
  {
    de: {
      'state.attention': '{count} zu prüfen',
      'state.progress': '{count} in Arbeit',
      'state.ready': '{count} bereit',
      'state.asleep': '{count} im Ruhezustand',
    },
  },
);
