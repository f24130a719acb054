import { texts } from '../text/texts.ts';

/** Texts about the permission to act in a project. */
export const delegationTexts = texts(
  {
    title: 'Fairway needs your permission to act in this project',
    another: 'Allow Fairway to act in this project with another application credential',
    what: 'Clusters are created in your project, on your behalf. For this, Fairway creates an application credential called “{keystoneName}” for you. It is limited to this project and to the roles that clusters need, and can’t create further credentials. Fairway stores it as the CloudCredential “{name}”.',
    takeBack:
      'To revoke it, run: openstack application credential delete {keystoneName}. Fairway then no longer manages the clusters that use it.',
    allow: 'Allow',
    working: 'Creating the application credential…',
    signedInByToken:
      'You signed in with a token, which can’t create an application credential. Sign in with your OpenStack password, or run this command:',
    instead: 'You can always run this command with your own clouds.yaml:',
    command: 'Command',
    again: 'Try again',
    unheard: 'The server did not respond. Try again: anything already created is reused.',
    unknown: 'It is unknown whether the application credential was created. The next attempt uses another name.',
    'left.title': 'An earlier attempt may have left something behind',
    'left.body':
      'The application credential “{keystoneName}” and the Secret “{secretName}” may exist without a CloudCredential that uses them. Neither is needed: delete the application credential, and the Secret becomes useless.',
    'left.stored':
      'The CloudCredential “{name}” exists and can be used, but its Secret “{secretName}” may remain when you delete it. The Secret is useless once the application credential “{keystoneName}” is deleted.',
    'left.command': 'Command to delete it',
    'left.done': 'Dismiss',
  },
  {
    de: {
      title: 'Fairway benötigt Ihre Erlaubnis, in diesem Projekt zu handeln',
      another: 'Fairway mit weiteren Anwendungszugangsdaten in diesem Projekt handeln lassen',
      what: 'Cluster werden in Ihrem Projekt und in Ihrem Namen angelegt. Dafür erzeugt Fairway Anwendungszugangsdaten (application credential) mit dem Namen „{keystoneName}“. Sie gelten nur für dieses Projekt und die Rollen, die Cluster benötigen, und können keine weiteren Zugangsdaten erzeugen. Fairway speichert sie als CloudCredential „{name}“.',
      takeBack:
        'Zum Widerrufen führen Sie aus: openstack application credential delete {keystoneName}. Fairway verwaltet dann die Cluster nicht mehr, die sie verwenden.',
      allow: 'Erlauben',
      working: 'Anwendungszugangsdaten werden erzeugt…',
      signedInByToken:
        'Sie sind mit einem Token angemeldet, mit dem sich keine Anwendungszugangsdaten erzeugen lassen. Melden Sie sich mit Ihrem OpenStack-Passwort an, oder verwenden Sie diesen Befehl:',
      instead: 'Dieser Befehl funktioniert immer, mit Ihrer eigenen clouds.yaml:',
      command: 'Befehl',
      again: 'Erneut versuchen',
      unheard: 'Der Server hat nicht geantwortet. Versuchen Sie es erneut: Bereits Angelegtes wird wiederverwendet.',
      unknown:
        'Es ist nicht bekannt, ob die Anwendungszugangsdaten erzeugt wurden. Der nächste Versuch verwendet einen anderen Namen.',
      'left.title': 'Von einem früheren Versuch ist möglicherweise etwas übrig',
      'left.body':
        'Möglicherweise existieren die Anwendungszugangsdaten „{keystoneName}“ und das Secret „{secretName}“ ohne ein CloudCredential, das sie verwendet. Beide werden nicht benötigt: Löschen Sie die Anwendungszugangsdaten, dann ist das Secret wertlos.',
      'left.stored':
        'Das CloudCredential „{name}“ existiert und ist verwendbar, aber sein Secret „{secretName}“ bleibt beim Löschen möglicherweise zurück. Das Secret ist wertlos, sobald die Anwendungszugangsdaten „{keystoneName}“ gelöscht sind.',
      'left.command': 'Befehl zum Löschen',
      'left.done': 'Ausblenden',
    },
  },
);
