import { texts } from '../../text/texts.ts';

export const activityTabTexts = texts(
  {
    title: 'Who did what in the cluster',
    elsewhere: 'Who changed the cluster itself',
    off: 'Nobody has asked for this yet',
    'off.body':
      'Fairway tells what was done at this cluster’s API server as soon as the cluster’s spec.apiServer.audit is set. What was done before is not told.',
    'off.command': 'The command that sets it',
    'off.yaml': 'Set spec.apiServer.audit: {} in the YAML',
  },
  {
    de: {
      title: 'Wer was im Cluster getan hat',
      elsewhere: 'Wer den Cluster selbst geändert hat',
      off: 'Danach hat noch niemand gefragt',
      'off.body':
        'Fairway erzählt, was am API-Server dieses Clusters getan wurde, sobald spec.apiServer.audit des Clusters gesetzt ist. Was vorher geschah, wird nicht erzählt.',
      'off.command': 'Der Befehl, der es setzt',
      'off.yaml': 'spec.apiServer.audit: {} im YAML setzen',
    },
  },
);
