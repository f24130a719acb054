import { texts } from '../../text/texts.ts';

export const confirmTexts = texts(
  {
    cancel: 'Cancel',
    same: 'The same with kubectl:',
    failed: 'It was not done',
  },
  {
    de: {
      cancel: 'Abbrechen',
      same: 'Dasselbe mit kubectl:',
      failed: 'Es wurde nicht ausgeführt',
    },
  },
);
