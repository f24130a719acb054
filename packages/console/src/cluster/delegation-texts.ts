import { texts } from '../text/texts.ts';

/** Of letting Fairway act in a project. */
export const delegationTexts = texts(
  {
    title: 'Fairway has to be allowed to act in this project',
    another: 'Let Fairway act in this project by another application credential',
    what: 'Clusters are made in your project, in your name. For that Fairway gets an application credential of yours, called “{keystoneName}”: it is for this project alone, with the roles that clusters need, and can make no others. It is kept as the CloudCredential “{name}”.',
    takeBack:
      'You take it back in OpenStack: openstack application credential delete {keystoneName}. Clusters that use it are then not looked after any more.',
    allow: 'Allow it',
    working: 'Fairway is being allowed to act…',
    signedInByToken:
      'You have signed in with a token, which can make no application credential. Sign in with your OpenStack password, or use this command:',
    instead: 'What works in any case is this command, with your own clouds.yaml:',
    command: 'The command',
    again: 'Try again',
    unheard: 'The server has not answered. Try again: what has been made already is used.',
    unknown: 'Whether the application credential was made is not known. The next try takes another name.',
    'left.title': 'Something may be left of an earlier attempt',
    'left.body':
      'The application credential “{keystoneName}” may be there without a CloudCredential that uses it, and the Secret “{secretName}” with it. Nothing needs them: delete the first, and the second is worth nothing.',
    'left.stored':
      'The CloudCredential “{name}” is there and can be used, but its Secret “{secretName}” may stay when you delete it. The Secret is worth nothing once the application credential “{keystoneName}” is deleted.',
    'left.command': 'The command that deletes it',
    'left.done': 'It is dealt with',
  },
  {
    de: {
      title: 'Fairway braucht die Erlaubnis, in diesem Projekt zu handeln',
      another: 'Fairway mit weiteren Anwendungszugangsdaten in diesem Projekt handeln lassen',
      what: 'Cluster entstehen in Ihrem Projekt und in Ihrem Namen. Dafür erhält Fairway Anwendungszugangsdaten von Ihnen (application credential) namens „{keystoneName}“: Sie gelten nur für dieses Projekt, mit den Rollen, die Cluster brauchen, und können keine weiteren erzeugen. Aufbewahrt werden sie als CloudCredential „{name}“.',
      takeBack:
        'Zurücknehmen können Sie das in OpenStack: openstack application credential delete {keystoneName}. Um Cluster, die sie benutzen, kümmert sich dann niemand mehr.',
      allow: 'Erlauben',
      working: 'Die Erlaubnis wird erteilt…',
      signedInByToken:
        'Sie sind mit einem Token angemeldet, der keine Anwendungszugangsdaten erzeugen kann. Melden Sie sich mit Ihrem OpenStack-Passwort an, oder benutzen Sie diesen Befehl:',
      instead: 'Auf jeden Fall geht es mit diesem Befehl und Ihrer eigenen clouds.yaml:',
      command: 'Der Befehl',
      again: 'Noch einmal versuchen',
      unheard:
        'Der Server hat nicht geantwortet. Versuchen Sie es noch einmal: Was schon entstanden ist, wird benutzt.',
      unknown:
        'Ob die Anwendungszugangsdaten entstanden sind, ist nicht bekannt. Der nächste Versuch nimmt einen anderen Namen.',
      'left.title': 'Von einem früheren Versuch ist vielleicht etwas übrig',
      'left.body':
        'Vielleicht gibt es die Anwendungszugangsdaten „{keystoneName}“, ohne dass ein CloudCredential sie benutzt, und dazu das Secret „{secretName}“. Beide braucht niemand: Löschen Sie die ersten, dann ist das zweite wertlos.',
      'left.stored':
        'Das CloudCredential „{name}“ ist da und benutzbar, aber sein Secret „{secretName}“ bleibt vielleicht zurück, wenn Sie es löschen. Es ist wertlos, sobald die Anwendungszugangsdaten „{keystoneName}“ gelöscht sind.',
      'left.command': 'Der Befehl, der sie löscht',
      'left.done': 'Ist erledigt',
    },
  },
);
