import { texts } from '../../text/texts.ts';

export const yamlTexts = texts(
  {
    object: 'Object',
    edit: 'Edit',
    status: 'Show the status too',
    'editing.help':
      'Change what you like of spec, labels and annotations. Nothing is written before you have seen the difference.',
    text: 'YAML of {kind} {name}',
    preview: 'Show the difference',
    back: 'Go on editing',
    save: 'Save these changes',
    cancel: 'Cancel',
    saved: 'Saved.',
    'problem.yaml': 'This is not valid YAML',
    'problem.kind': 'Kind and name have to stay {kind} {name}.',
    'problem.none': 'Nothing is changed.',
    'problem.server': 'The server does not accept this',
    'diff.title': 'What would change',
    'conflict.title': 'It has been changed meanwhile',
    'conflict.body':
      'Somebody else has written it since you began. Your changes are kept: look at the difference again.',
    'owner.applied': '{manager} writes {field} too, and applies it again and again: it will probably put it back.',
    'owner.wrote': '{manager} has written {field} before.',
    'owner.title': 'Others write these fields',
    warnings: 'The server warns',
  },
  {
    de: {
      object: 'Objekt',
      edit: 'Bearbeiten',
      status: 'Auch den Status zeigen',
      'editing.help':
        'Ändern Sie nach Belieben spec, Labels und Annotationen. Geschrieben wird erst, wenn Sie den Unterschied gesehen haben.',
      text: 'YAML von {kind} {name}',
      preview: 'Unterschied zeigen',
      back: 'Weiter bearbeiten',
      save: 'Diese Änderungen speichern',
      cancel: 'Abbrechen',
      saved: 'Gespeichert.',
      'problem.yaml': 'Das ist kein gültiges YAML',
      'problem.kind': 'Art und Name müssen {kind} {name} bleiben.',
      'problem.none': 'Nichts ist geändert.',
      'problem.server': 'Der Server nimmt das nicht an',
      'diff.title': 'Was sich ändern würde',
      'conflict.title': 'Es wurde inzwischen geändert',
      'conflict.body':
        'Jemand anderes hat es geschrieben, seit Sie begonnen haben. Ihre Änderungen sind noch da: Sehen Sie sich den Unterschied noch einmal an.',
      'owner.applied':
        '{manager} schreibt {field} auch, und zwar immer wieder: Es wird den alten Stand wohl wiederherstellen.',
      'owner.wrote': '{manager} hat {field} zuvor geschrieben.',
      'owner.title': 'Andere schreiben diese Felder',
      warnings: 'Der Server warnt',
    },
  },
);
