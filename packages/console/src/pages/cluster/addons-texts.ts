import { texts } from '../../text/texts.ts';

export const addonsTexts = texts(
  {
    title: 'Add-ons',
    lead: 'Fairway installs the required add-ons in each cluster, in versions that match its Kubernetes version, and upgrades them with the cluster.',
    none: 'No add-ons have been installed yet.',
    'column.name': 'Add-on',
    'column.version': 'Version',
    'column.state': 'State',
    'column.message': 'Message',
    'column.since': 'Since',
    'own.title': 'Custom add-ons and changes',
    'own.body':
      'Your changes to Fairway’s objects are kept, and Fairway leaves add-ons that you installed alone. Fairway can take all of them over: objects of the same name get Fairway’s values, except a running pod network.',
    'own.do': 'Let Fairway take over…',
    'own.title.ask': 'Let Fairway take over the add-ons of {name}?',
    'own.body.ask':
      'Your changes to these add-ons are reverted: {addons}. You must delete other objects that do the same work yourself. This happens once; later changes are kept again.',
    'own.button': 'Take over',
    'settings.title': 'Settings',
    'settings.body':
      'The pod network and the kube-proxy mode are set when the cluster is created, and can only be changed by a reset. The other kube-proxy settings are in the spec:',
    'settings.yaml': 'Edit spec.kubeProxy',
    'settings.cni': 'Pod network: {cni}',
    'settings.proxy': 'kube-proxy: {mode}',
    'settings.default': 'plan default',
  },
  {
    de: {
      title: 'Add-ons',
      lead: 'Fairway installiert in jedem Cluster die erforderlichen Add-ons in Versionen, die zu seiner Kubernetes-Version passen, und aktualisiert sie mit dem Cluster.',
      none: 'Es sind noch keine Add-ons installiert.',
      'column.name': 'Add-on',
      'column.version': 'Version',
      'column.state': 'Zustand',
      'column.message': 'Meldung',
      'column.since': 'Seit',
      'own.title': 'Eigene Add-ons und Änderungen',
      'own.body':
        'Ihre Änderungen an Objekten von Fairway bleiben erhalten, und selbst installierte Add-ons lässt Fairway unverändert. Fairway kann alle übernehmen: Gleichnamige Objekte erhalten die Werte von Fairway, außer einem laufenden Pod-Netzwerk.',
      'own.do': 'Fairway übernehmen lassen …',
      'own.title.ask': 'Soll Fairway die Add-ons von {name} übernehmen?',
      'own.body.ask':
        'Ihre Änderungen an diesen Add-ons werden rückgängig gemacht: {addons}. Andere Objekte mit derselben Aufgabe müssen Sie selbst löschen. Dies geschieht einmalig; spätere Änderungen bleiben wieder erhalten.',
      'own.button': 'Übernehmen',
      'settings.title': 'Einstellungen',
      'settings.body':
        'Das Pod-Netzwerk und der Modus von kube-proxy werden beim Anlegen des Clusters festgelegt und lassen sich nur durch Zurücksetzen ändern. Die übrigen Einstellungen von kube-proxy stehen in der Spec:',
      'settings.yaml': 'spec.kubeProxy bearbeiten',
      'settings.cni': 'Pod-Netzwerk: {cni}',
      'settings.proxy': 'kube-proxy: {mode}',
      'settings.default': 'Standard des Plans',
    },
  },
);
