import { texts } from '../../text/texts.ts';

export const yamlTexts = texts(
  {
    object: 'Object',
    edit: 'Edit',
    status: 'Show status',
    'editing.help':
      'You can change spec, labels and annotations. Nothing is saved until you have reviewed the changes.',
    text: 'YAML of {kind} {name}',
    preview: 'Review changes',
    back: 'Continue editing',
    save: 'Save changes',
    cancel: 'Cancel',
    saved: 'Saved.',
    'problem.yaml': 'This is not valid YAML',
    'problem.kind': 'Kind and name must stay {kind} {name}.',
    'problem.none': 'No changes.',
    'problem.server': 'The server rejected this object',
    'diff.title': 'Changes',
    'conflict.title': 'Changed in the meantime',
    'conflict.body':
      'Someone else has changed this object since you started. Your changes are kept: review them again.',
    'owner.applied': '{manager} also manages {field} and applies it repeatedly: it will probably revert your change.',
    'owner.wrote': '{manager} last set {field}.',
    'owner.title': 'Fields managed by others',
    warnings: 'Server warnings',
  },
  {
    de: {
      object: 'Objekt',
      edit: 'Bearbeiten',
      status: 'Status anzeigen',
      'editing.help':
        'Sie können Spec, Labels und Annotationen ändern. Gespeichert wird erst, wenn Sie die Änderungen geprüft haben.',
      text: 'YAML von {kind} {name}',
      preview: 'Änderungen prüfen',
      back: 'Weiter bearbeiten',
      save: 'Änderungen speichern',
      cancel: 'Abbrechen',
      saved: 'Gespeichert.',
      'problem.yaml': 'Das ist kein gültiges YAML',
      'problem.kind': 'Art und Name müssen {kind} {name} bleiben.',
      'problem.none': 'Keine Änderungen.',
      'problem.server': 'Der Server hat dieses Objekt abgelehnt',
      'diff.title': 'Änderungen',
      'conflict.title': 'Inzwischen geändert',
      'conflict.body':
        'Jemand anderes hat dieses Objekt inzwischen geändert. Ihre Änderungen sind noch da: Prüfen Sie sie erneut.',
      'owner.applied':
        '{manager} verwaltet {field} ebenfalls und setzt es regelmäßig: Ihre Änderung wird wahrscheinlich zurückgesetzt.',
      'owner.wrote': '{manager} hat {field} zuletzt gesetzt.',
      'owner.title': 'Von anderen verwaltete Felder',
      warnings: 'Warnungen des Servers',
    },
  },
);
