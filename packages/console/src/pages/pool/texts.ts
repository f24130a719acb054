import { texts } from '../../text/texts.ts';

export const poolTexts = texts(
  {
    'title.new': 'Add a node pool',
    'title.edit': 'Scale or edit {name}',
    add: 'Add pool',
    save: 'Save',
    unchanged: 'No changes yet.',
    cancel: 'Cancel',
    summary: 'Total',
    missing: 'This cluster has no node pool “{name}”',
    'delete.title': 'Delete this pool',
    'delete.body': {
      one: 'Its node is drained and deleted, along with the data on its local disk.',
      other: 'Its {count} nodes are drained and deleted, along with the data on their local disks.',
    },
    'delete.do': 'Delete pool…',
    'delete.ask': 'Delete node pool {name}?',
    'delete.sure': 'Delete pool',
    'zero.ask': 'Scale {name} to zero?',
    'zero.body': {
      one: 'Its node is drained and deleted, along with the data on its local disk. Pods that fit on no other pool stay pending until there are nodes again.',
      other:
        'Its {count} nodes are drained and deleted, along with the data on their local disks. Pods that fit on no other pool stay pending until there are nodes again.',
    },
    'zero.do': 'Scale to zero',
    'replaced.ask': 'Replace the nodes of {name}?',
    'replaced.body': {
      one: 'Its node is drained and deleted, along with the data on its local disk, and is replaced by a node of the new flavor.',
      other:
        'Its {count} nodes are drained and deleted one by one, along with the data on their local disks, and are replaced by nodes of the new flavor.',
    },
    'replaced.do': 'Replace nodes',
    conflict:
      'Someone else has changed the pool in the meantime. Your version is shown below; saving changes only the fields that you changed.',
  },
  {
    de: {
      'title.new': 'Knotenpool hinzufügen',
      'title.edit': '{name} skalieren oder bearbeiten',
      add: 'Pool hinzufügen',
      save: 'Speichern',
      unchanged: 'Noch keine Änderungen.',
      cancel: 'Abbrechen',
      summary: 'Gesamt',
      missing: 'Dieser Cluster hat keinen Knotenpool „{name}“',
      'delete.title': 'Diesen Pool löschen',
      'delete.body': {
        one: 'Sein Knoten wird geleert und gelöscht, ebenso die Daten auf seiner lokalen Festplatte.',
        other: 'Seine {count} Knoten werden geleert und gelöscht, ebenso die Daten auf ihren lokalen Festplatten.',
      },
      'delete.do': 'Pool löschen …',
      'delete.ask': 'Knotenpool {name} löschen?',
      'delete.sure': 'Pool löschen',
      'zero.ask': '{name} auf null skalieren?',
      'zero.body': {
        one: 'Sein Knoten wird geleert und gelöscht, ebenso die Daten auf seiner lokalen Festplatte. Pods, die auf keinen anderen Pool passen, warten, bis es wieder Knoten gibt.',
        other:
          'Seine {count} Knoten werden geleert und gelöscht, ebenso die Daten auf ihren lokalen Festplatten. Pods, die auf keinen anderen Pool passen, warten, bis es wieder Knoten gibt.',
      },
      'zero.do': 'Auf null skalieren',
      'replaced.ask': 'Die Knoten von {name} ersetzen?',
      'replaced.body': {
        one: 'Sein Knoten wird geleert und gelöscht, ebenso die Daten auf seiner lokalen Festplatte, und durch einen Knoten mit dem neuen Flavor ersetzt.',
        other:
          'Seine {count} Knoten werden nacheinander geleert und gelöscht, ebenso die Daten auf ihren lokalen Festplatten, und durch Knoten mit dem neuen Flavor ersetzt.',
      },
      'replaced.do': 'Knoten ersetzen',
      conflict:
        'Jemand anderes hat den Pool inzwischen geändert. Unten sehen Sie Ihre Fassung; gespeichert werden nur die Felder, die Sie geändert haben.',
    },
  },
);
