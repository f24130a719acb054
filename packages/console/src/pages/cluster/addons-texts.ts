import { texts } from '../../text/texts.ts';

export const addonsTexts = texts(
  {
    title: 'Add-ons',
    lead: 'Fairway installs in each cluster what it needs to be one, in the version that fits its Kubernetes, and upgrades it with the cluster.',
    none: 'Nothing has been installed yet.',
    'column.name': 'Add-on',
    'column.version': 'Version',
    'column.state': 'State',
    'column.message': 'What it says',
    'column.since': 'Since',
    'own.title': 'Your own, and your changes',
    'own.body':
      'What you have changed in Fairway’s objects stays as you have set it; an add-on of the cluster’s own is left alone. Fairway can take all of it over: objects of the same name get Fairway’s values, but for a pod network that runs.',
    'own.do': 'Let Fairway take over…',
    'own.title.ask': 'Let Fairway take the add-ons of {name} over?',
    'own.body.ask':
      'Your changes of these are undone: {addons}. Other objects that do the same work are yours to delete. It happens once; what you change afterwards is yours again.',
    'own.button': 'Take over',
    'settings.title': 'Settings',
    'settings.body':
      'The pod network and the mode of kube-proxy are chosen with the cluster, and change in a reset alone; the other settings of kube-proxy are in the spec:',
    'settings.yaml': 'Edit spec.kubeProxy, with the difference before it is saved',
    'settings.cni': 'Pod network: {cni}',
    'settings.proxy': 'kube-proxy: {mode}',
    'settings.default': 'the default of the plan',
  },
  {
    de: {
      title: 'Add-ons',
      lead: 'Fairway installiert in jedem Cluster, was er dazu braucht, in der Version, die zu seinem Kubernetes passt, und aktualisiert es mit ihm.',
      none: 'Noch ist nichts installiert.',
      'column.name': 'Add-on',
      'column.version': 'Version',
      'column.state': 'Zustand',
      'column.message': 'Meldung',
      'column.since': 'Seit',
      'own.title': 'Eigenes und Geändertes',
      'own.body':
        'Was Sie an Objekten von Fairway geändert haben, bleibt, wie Sie es gesetzt haben; ein eigenes Add-on des Clusters wird in Ruhe gelassen. Fairway kann alles übernehmen: Objekte gleichen Namens bekommen die Werte von Fairway, außer einem laufenden Pod-Netz.',
      'own.do': 'Fairway übernehmen lassen …',
      'own.title.ask': 'Soll Fairway die Add-ons von {name} übernehmen?',
      'own.body.ask':
        'Ihre Änderungen hieran werden rückgängig gemacht: {addons}. Andere Objekte, die dieselbe Arbeit tun, löschen Sie selbst. Es geschieht einmal; was Sie danach ändern, gehört wieder Ihnen.',
      'own.button': 'Übernehmen',
      'settings.title': 'Einstellungen',
      'settings.body':
        'Pod-Netz und Modus von kube-proxy werden mit dem Cluster gewählt und ändern sich nur beim Zurücksetzen; die übrigen Einstellungen von kube-proxy stehen in der Spec:',
      'settings.yaml': 'spec.kubeProxy bearbeiten, mit dem Unterschied vor dem Speichern',
      'settings.cni': 'Pod-Netz: {cni}',
      'settings.proxy': 'kube-proxy: {mode}',
      'settings.default': 'die Vorgabe des Plans',
    },
  },
);
