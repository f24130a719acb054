import { texts } from '../../text/texts.ts';

export const replicasTexts = texts(
  {
    title: 'Replicas',
    loading: 'Loading…',
    'one.title': 'One replica looks after everything',
    'one.body': {
      one: 'This Fairway shares its work with nobody: {count} cluster is looked after by the process that answers you.',
      other:
        'This Fairway shares its work with nobody: {count} clusters are looked after by the process that answers you.',
    },
    'one.more':
      'Over a management cluster any number of “fairway serve” share the clusters: docs/operators/replicas.md.',
    lead: 'Clusters fall into {count} shards by their names; each shard is one replica’s.',
    'figure.replicas': 'Replicas',
    'figure.clusters': 'Clusters',
    'figure.moved': 'Shards moved lately',
    'figure.unheld': 'Shards without a replica',
    'table.label': 'Replicas',
    'column.name': 'Replica',
    'column.state': 'State',
    'column.clusters': 'Clusters',
    'column.shards': 'Shards',
    'column.since': 'Since',
    'column.heard': 'Last heard of',
    'state.alive': 'Alive',
    'state.dead': 'Not heard of',
    'map.title': 'Shards',
    'map.label': 'Shards and who holds them',
    'map.shard': 'Shard {number}: {holder}, {clusters} clusters',
    'map.none': 'no replica',
    'map.moved': 'moved within the last minute',
  },
  {
    de: {
      title: 'Replikate',
      loading: 'Wird geladen …',
      'one.title': 'Ein Replikat kümmert sich um alles',
      'one.body': {
        one: 'Dieses Fairway teilt seine Arbeit mit niemandem: Um {count} Cluster kümmert sich der Prozess, der Ihnen antwortet.',
        other:
          'Dieses Fairway teilt seine Arbeit mit niemandem: Um {count} Cluster kümmert sich der Prozess, der Ihnen antwortet.',
      },
      'one.more':
        'Über einem Management-Cluster teilen sich beliebig viele „fairway serve“ die Cluster: docs/operators/replicas.md.',
      lead: 'Cluster verteilen sich nach ihren Namen auf {count} Teile; jeder Teil gehört einem Replikat.',
      'figure.replicas': 'Replikate',
      'figure.clusters': 'Cluster',
      'figure.moved': 'Jüngst gewechselte Teile',
      'figure.unheld': 'Teile ohne Replikat',
      'table.label': 'Replikate',
      'column.name': 'Replikat',
      'column.state': 'Zustand',
      'column.clusters': 'Cluster',
      'column.shards': 'Teile',
      'column.since': 'Seit',
      'column.heard': 'Zuletzt gehört',
      'state.alive': 'Am Leben',
      'state.dead': 'Nicht zu hören',
      'map.title': 'Teile',
      'map.label': 'Teile, und wer sie hat',
      'map.shard': 'Teil {number}: {holder}, {clusters} Cluster',
      'map.none': 'kein Replikat',
      'map.moved': 'in der letzten Minute gewechselt',
    },
  },
);
