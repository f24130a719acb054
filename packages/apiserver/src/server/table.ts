import type { KubeObject } from '@fairway/kube/object/meta';
import { compileJsonPath, type JsonPath } from '@fairway/kube/object/path';
import type { Entry } from '../store/store.ts';
import { humanDuration } from './human-duration.ts';
import { ListText } from './list-text.ts';
import type { Representation } from './representation.ts';
import type { PrinterColumn, ResourceDefinition } from './resource.ts';
import type { ServedResource } from './served-resource.ts';

/** How much of the object a row contains: the query's `includeObject`. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

type Cell = string | number | boolean | null;
type CellOf = (object: KubeObject, nowMs: number) => Cell;

interface CompiledTable {
  /** `columnDefinitions` as JSON text. */
  readonly definitions: string;
  readonly cells: readonly CellOf[];
}

const NAME_COLUMN: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  value: '.metadata.name',
};
const AGE_COLUMN: PrinterColumn = { name: 'Age', type: 'date', value: '.metadata.creationTimestamp' };

const compiled = new WeakMap<ResourceDefinition, CompiledTable>();

/** Objects as the rows of `kubectl get`. The name comes first unless the kind specifies its position. */
export function tableOf(resource: ServedResource, include: IncludeObject, now: () => number): Representation {
  const table = compiledTable(resource.definition);

  function sortRows(entries: readonly Entry[]): readonly Entry[] {
    const { rowOrder } = resource.definition;
    if (rowOrder === undefined) return entries;
    return [...entries].sort((a, b) => rowOrder(resource.objectOf(a), resource.objectOf(b)));
  }
  function rows(entries: readonly Entry[], nowMs: number): string {
    return entries.map((entry) => row(resource, table, entry, include, nowMs)).join(',');
  }
  function text(metadata: string, rowsText: string): string {
    const head = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${metadata}`;
    return `${head},"columnDefinitions":${table.definitions},"rows":[${rowsText}]}`;
  }
  return {
    id: `table ${include} ${resource.id}`,
    contentType: 'application/json',
    objectText(entry) {
      return text(JSON.stringify({ resourceVersion: String(entry.revision) }), rows([entry], now()));
    },
    listText(entries, metadata) {
      return new ListText(text(metadata, rows(sortRows(entries), now())), [], '');
    },
    bookmarkText(revision, annotations) {
      const metadata = {
        resourceVersion: String(revision),
        creationTimestamp: null,
        ...(annotations && { annotations }),
      };
      const object =
        include === 'Metadata'
          ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
          : { kind: resource.kind, apiVersion: resource.apiVersion, metadata };
      const cells = table.cells.map(() => null);
      return text(
        JSON.stringify({ resourceVersion: String(revision) }),
        JSON.stringify(include === 'None' ? { cells } : { cells, object }),
      );
    },
  };
}

function row(
  resource: ServedResource,
  table: CompiledTable,
  entry: Entry,
  include: IncludeObject,
  nowMs: number,
): string {
  const object = resource.objectOf(entry);
  const cells = JSON.stringify(table.cells.map((cellOf) => cellOf(object, nowMs)));
  switch (include) {
    case 'None':
      return `{"cells":${cells},"object":null}`;
    case 'Object':
      return `{"cells":${cells},"object":${resource.textOf(entry)}}`;
    case 'Metadata':
      return `{"cells":${cells},"object":${partialText(object)}}`;
  }
}

/** An object's metadata as `PartialObjectMetadata`. */
export function partialText(object: KubeObject): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(object.metadata)}}`;
}

function compiledTable(definition: ResourceDefinition): CompiledTable {
  let table = compiled.get(definition);
  if (table === undefined) {
    const own = definition.columns ?? [AGE_COLUMN];
    const columns = own.some(({ name }) => name === 'Name') ? own : [NAME_COLUMN, ...own];
    table = { definitions: JSON.stringify(columns.map(columnDefinition)), cells: columns.map(cellOf) };
    compiled.set(definition, table);
  }
  return table;
}

function columnDefinition({ name, type, format = '', description = '', priority = 0, value }: PrinterColumn) {
  // A date is sent as its age in text form, like upstream.
  const isAge = type === 'date' && typeof value === 'string';
  return { name, type: isAge ? 'string' : type, format, description, priority };
}

function cellOf({ type, value }: PrinterColumn): CellOf {
  if (typeof value === 'function') return (object, nowMs) => value(object, nowMs) ?? null;
  const path: JsonPath = compileJsonPath(value);
  return (object, nowMs) => {
    const found = path(object);
    // Like kube-apiserver: a missing field of any type is an empty cell.
    return type === 'date' && found.length > 0 ? ageCell(found[0], nowMs) : valueCell(found);
  };
}

function ageCell(value: unknown, nowMs: number): Cell {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? '<unknown>' : humanDuration(nowMs - atMs);
}

function valueCell(found: readonly unknown[]): Cell {
  const [value] = found;
  if (found.length > 1) return found.map((item) => textOf(item)).join(',');
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || typeof value === 'boolean' ? value : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
