import {
  type Dashboard,
  type Panel as GrafanaPanel,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/schema';

interface Query {
  /** A PromQL query with Grafana's variables. */
  readonly expr: string;
  /** A legend such as `{{label}}`; '' for a single value. */
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly type: 'stat' | 'timeseries';
  /** Grafana's ID for the unit. */
  readonly unit: string;
  /** Width in columns, out of 24. */
  readonly width: number;
  readonly queries: readonly Query[];
}

interface Variable {
  readonly name: string;
  readonly label: string;
  /** `label_values(…)`. */
  readonly query: string;
  readonly isMultiValue: boolean;
}

/** A dashboard; its panels are laid out in rows, in order. */
export interface DashboardData {
  readonly uid: string;
  readonly title: string;
  readonly variables: readonly Variable[];
  readonly panels: readonly Panel[];
}

/** Schema version of Grafana 13, which migrates older dashboards when it loads them instead of rejecting them. */
const SCHEMA_VERSION = 42;
const COLUMNS = 24;
const PANEL_HEIGHTS = { stat: 4, timeseries: 8 };
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** The JSON that Grafana loads, using its published types. */
export function grafanaDashboard({ uid, title, variables, panels }: DashboardData): Dashboard {
  return {
    uid,
    title,
    tags: ['fairway'],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '1m',
    timezone: '',
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        ...variables.map(grafanaVariable),
      ],
    },
    annotations: { list: [] },
    panels: withGridPositions(panels),
  };
}

function grafanaVariable({ name, label, query, isMultiValue }: Variable): VariableModel {
  return {
    name,
    type: 'query',
    label,
    datasource: DATASOURCE,
    query: { query, refId: name },
    refresh: VariableRefresh.onTimeRangeChanged,
    sort: VariableSort.alphabeticalAsc,
    multi: isMultiValue,
    includeAll: isMultiValue,
  };
}

/** Lays out panels from left to right, then in rows. */
function withGridPositions(panels: readonly Panel[]): GrafanaPanel[] {
  let [x, y, height] = [0, 0, 0];
  return panels.map((panel, index) => {
    if (x + panel.width > COLUMNS) [x, y, height] = [0, y + height, 0];
    const gridPos = { w: panel.width, h: PANEL_HEIGHTS[panel.type], x, y };
    x += panel.width;
    height = Math.max(height, gridPos.h);
    return grafanaPanel(panel, index + 1, gridPos);
  });
}

function grafanaPanel(
  { title, type, unit, queries }: Panel,
  id: number,
  gridPos: NonNullable<GrafanaPanel['gridPos']>,
): GrafanaPanel {
  return {
    id,
    title,
    type,
    datasource: DATASOURCE,
    gridPos,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      ...(legend !== '' && { legendFormat: legend }),
    })),
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {},
  };
}
