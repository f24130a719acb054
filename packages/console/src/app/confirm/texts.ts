import { texts } from '../../text/texts.ts';

export const confirmTexts = texts(
  {
    cancel: 'Cancel',
    final: 'This can’t be undone.',
    type: 'Type “{name}” to confirm',
    same: 'Equivalent command:',
  },
  {
    de: {
      cancel: 'Abbrechen',
      final: 'Das lässt sich nicht rückgängig machen.',
      type: 'Geben Sie zur Bestätigung „{name}“ ein',
      same: 'Entsprechender Befehl:',
    },
  },
);
