import { texts } from '../../text/texts.ts';

export const operatorTexts = texts(
  {
    'state.attention': '{count} need attention',
    'state.progress': '{count} in progress',
    'state.ready': '{count} ready',
    'state.asleep': '{count} hibernated',
  },
  {
    de: {
      'state.attention': '{count} mit Handlungsbedarf',
      'state.progress': '{count} in Arbeit',
      'state.ready': '{count} bereit',
      'state.asleep': '{count} im Ruhezustand',
    },
  },
);
