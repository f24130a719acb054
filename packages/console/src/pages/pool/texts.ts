import { texts } from '../../text/texts.ts';

export const poolTexts = texts(
  {
    'title.new': 'Add a node pool',
    'title.edit': 'Scale or edit {name}',
    add: 'Add the pool',
    save: 'Save',
    unchanged: 'Nothing is changed yet.',
    cancel: 'Cancel',
    summary: 'What it takes in all',
    missing: 'There is no node pool “{name}” in this cluster',
    'delete.title': 'Delete this pool',
    'delete.body': { one: 'Its node is emptied and removed.', other: 'Its {count} nodes are emptied and removed.' },
    'delete.do': 'Delete the pool',
    'delete.sure': 'Yes, delete {name}',
    'delete.no': 'Keep it',
    conflict:
      'Somebody else has changed the pool meanwhile. What you see below is yours; saving changes only what you have changed.',
  },
  {
    de: {
      'title.new': 'Node-Pool hinzufügen',
      'title.edit': '{name} skalieren oder ändern',
      add: 'Pool hinzufügen',
      save: 'Speichern',
      unchanged: 'Noch ist nichts geändert.',
      cancel: 'Abbrechen',
      summary: 'Was er insgesamt braucht',
      missing: 'In diesem Cluster gibt es keinen Node-Pool „{name}“',
      'delete.title': 'Diesen Pool löschen',
      'delete.body': {
        one: 'Sein Knoten wird geräumt und entfernt.',
        other: 'Seine {count} Knoten werden geräumt und entfernt.',
      },
      'delete.do': 'Pool löschen',
      'delete.sure': 'Ja, {name} löschen',
      'delete.no': 'Behalten',
      conflict:
        'Jemand anderes hat den Pool inzwischen geändert. Unten steht Ihre Fassung; gespeichert wird nur, was Sie geändert haben.',
    },
  },
);
