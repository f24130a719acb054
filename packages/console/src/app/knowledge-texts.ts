import { texts } from '../text/texts.ts';

/** Messages for data that is unknown or outdated. */
export const knowledgeTexts = texts(
  {
    unknown: 'Unknown at the moment.',
    'outdated.asOf': 'As of {time}',
    'outdated.partly': 'Some of this is unknown at the moment',
    said: 'The server says: {message}',
    'title.away': 'The server is not responding',
    'title.signedOut': 'Your session is no longer valid',
    'title.forbidden': 'You don’t have access to this page',
    'title.missing': 'Not found',
    'title.busy': 'The server is busy',
    'title.fault': 'Server error',
    'title.other': 'This can’t be shown right now',
    'why.away': 'The server is not responding. The console keeps retrying.',
    'why.signedOut':
      'The server has rejected your session. The console checks whether it has ended; if so, you can sign in again here.',
    'why.forbidden':
      'Your role in this project does not allow this. Ask the project’s administrator for a role that does.',
    'why.missing': 'The object does not exist, or the server does not offer this kind.',
    'why.busy': 'The server is busy. The console keeps retrying.',
    'why.fault':
      'The server could not answer. The console keeps retrying; if the error persists, contact your operator.',
    'why.other': 'The console keeps retrying.',
  },
  {
    de: {
      unknown: 'Derzeit nicht bekannt.',
      'outdated.asOf': 'Stand {time}',
      'outdated.partly': 'Einige Angaben sind derzeit nicht bekannt',
      said: 'Meldung des Servers: {message}',
      'title.away': 'Der Server antwortet nicht',
      'title.signedOut': 'Ihre Sitzung ist nicht mehr gültig',
      'title.forbidden': 'Sie haben keinen Zugriff auf diese Seite',
      'title.missing': 'Nicht gefunden',
      'title.busy': 'Der Server ist ausgelastet',
      'title.fault': 'Serverfehler',
      'title.other': 'Die Daten lassen sich gerade nicht anzeigen',
      'why.away': 'Der Server antwortet nicht. Die Konsole versucht es weiter.',
      'why.signedOut':
        'Der Server hat Ihre Sitzung abgelehnt. Die Konsole prüft, ob sie beendet ist; dann können Sie sich hier wieder anmelden.',
      'why.forbidden':
        'Ihre Rolle in diesem Projekt erlaubt das nicht. Bitten Sie die Administration des Projekts um eine passende Rolle.',
      'why.missing': 'Das Objekt existiert nicht, oder der Server bietet diese Art nicht an.',
      'why.busy': 'Der Server ist ausgelastet. Die Konsole versucht es weiter.',
      'why.fault':
        'Der Server konnte nicht antworten. Die Konsole versucht es weiter. Wenn der Fehler bestehen bleibt, wenden Sie sich an den Betreiber.',
      'why.other': 'Die Konsole versucht es weiter.',
    },
  },
);
