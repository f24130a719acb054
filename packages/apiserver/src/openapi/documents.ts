import { createHash } from 'node:crypto';
import { type RemoteDocumentV2, withRemoteDocuments } from '../aggregation/remote-document-v2.ts';
import type { Definitions } from '../schema/schema.ts';
import type { ResourceDefinition } from '../server/resource.ts';
import { type DocumentV2, documentV2 } from './document-v2.ts';
import { documentV3 } from './document-v3.ts';
import { encodeDocument } from './gnostic.ts';
import { groupVersionPath } from './names.ts';

/** A document ready to be sent. */
export interface PublishedDocument {
  readonly body: Uint8Array;
  /** SHA-512 in upper-case hex: the ETag, and the `hash` in URLs of v3. */
  readonly hash: string;
}

/** All referenced definitions, with descriptions. They are read when a document is generated, and not kept. */
export type DefinitionSource = () => Definitions;

/** v2 documents are large and rarely requested: this many are cached, the rest are regenerated on demand. */
const MAX_CACHED_V2 = 4;

const documentsByResources = new WeakMap<readonly ResourceDefinition[], OpenApiDocuments>();
const groupVersionsByFirst = new WeakMap<ResourceDefinition, GroupVersionDocument[]>();
const cachedV2 = new Map<OpenApiDocuments, CachedV2>();

interface CachedV2 {
  /** The parts that come from other servers. */
  readonly remote: readonly RemoteDocumentV2[];
  json?: PublishedDocument;
  protobuf?: PublishedDocument;
}

const NO_REMOTE_DOCUMENTS: readonly RemoteDocumentV2[] = [];

/**
 * The OpenAPI documents for a list of kinds. Servers that pass the same list share them. Servers whose lists differ
 * share the v3 documents of the group versions in which they have the same kinds, so a CustomResourceDefinition adds
 * only the document for its own group.
 */
export function openApiDocuments(
  resources: readonly ResourceDefinition[],
  definitions: DefinitionSource,
): OpenApiDocuments {
  let documents = documentsByResources.get(resources);
  if (documents === undefined) {
    documents = new OpenApiDocuments(resources, definitions);
    documentsByResources.set(resources, documents);
  }
  return documents;
}

export class OpenApiDocuments {
  readonly #resources: readonly ResourceDefinition[];
  readonly #definitions: DefinitionSource;
  #groupVersions: ReadonlyMap<string, GroupVersionDocument> | undefined;
  #index: PublishedDocument | undefined;

  constructor(resources: readonly ResourceDefinition[], definitions: DefinitionSource) {
    this.#resources = resources;
    this.#definitions = definitions;
  }

  /** `/openapi/v2` as JSON. */
  v2Json(remote = NO_REMOTE_DOCUMENTS): PublishedDocument {
    const kept = this.#cachedV2(remote);
    kept.json ??= published(Buffer.from(JSON.stringify(this.#documentV2(remote))));
    return kept.json;
  }

  /** `/openapi/v2` as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`. */
  v2Protobuf(remote = NO_REMOTE_DOCUMENTS): PublishedDocument {
    const kept = this.#cachedV2(remote);
    kept.protobuf ??= published(encodeDocument(this.#documentV2(remote)));
    return kept.protobuf;
  }

  #documentV2(remote: readonly RemoteDocumentV2[]): DocumentV2 {
    const own = documentV2(this.#resources, this.#definitions());
    return remote.length === 0 ? own : withRemoteDocuments(own, remote);
  }

  /** `/openapi/v3`: where to find the document of each group version. */
  v3Index(): PublishedDocument {
    if (this.#index === undefined) {
      const definitions = once(this.#definitions);
      const paths = Array.from(this.#documentsByGroupVersion(), ([path, document]) => {
        const { hash } = document.published(definitions);
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
      });
      this.#index = published(Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) })));
    }
    return this.#index;
  }

  /** `/openapi/v3/PATH` with PATH such as `apis/apps/v1`; undefined for a group version that is not served. */
  v3(path: string): PublishedDocument | undefined {
    return this.#documentsByGroupVersion().get(path)?.published(this.#definitions);
  }

  #documentsByGroupVersion(): ReadonlyMap<string, GroupVersionDocument> {
    this.#groupVersions ??= new Map(
      Array.from(Map.groupBy(this.#resources, groupVersionPath), ([path, members]) => [path, documentOf(members)]),
    );
    return this.#groupVersions;
  }

  #cachedV2(remote: readonly RemoteDocumentV2[]): CachedV2 {
    const previous = cachedV2.get(this);
    const isSame = previous?.remote === remote || (previous?.remote.length === 0 && remote.length === 0);
    const kept = previous !== undefined && isSame ? previous : { remote };
    cachedV2.delete(this);
    cachedV2.set(this, kept);
    const [oldest] = cachedV2.keys();
    if (cachedV2.size > MAX_CACHED_V2 && oldest !== undefined) cachedV2.delete(oldest);
    return kept;
  }
}

/** The v3 document for one group version, generated on demand. */
class GroupVersionDocument {
  readonly members: readonly ResourceDefinition[];
  #published: PublishedDocument | undefined;

  constructor(members: readonly ResourceDefinition[]) {
    this.members = members;
  }

  published(definitions: DefinitionSource): PublishedDocument {
    this.#published ??= published(Buffer.from(JSON.stringify(documentV3(this.members, definitions()))));
    return this.#published;
  }
}

/** The document for these kinds, shared by every server with exactly the same kinds. */
function documentOf(members: readonly ResourceDefinition[]): GroupVersionDocument {
  const [first] = members;
  if (first === undefined) return new GroupVersionDocument(members);
  const known = groupVersionsByFirst.get(first) ?? [];
  const same = known.find((candidate) => hasSameItems(candidate.members, members));
  if (same !== undefined) return same;
  const document = new GroupVersionDocument(members);
  groupVersionsByFirst.set(first, [...known, document]);
  return document;
}

function hasSameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

/** @param body must never be changed. */
export function published(body: Uint8Array): PublishedDocument {
  return { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

function once(source: DefinitionSource): DefinitionSource {
  let definitions: Definitions | undefined;
  return () => (definitions ??= source());
}
