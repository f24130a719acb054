import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { documentV2 } from './document-v2.ts';
import { CRONTABS, DEFINITIONS } from './fixture.ts';
import { encodeDocument } from './gnostic.ts';

/** The part of gnostic's openapiv2/OpenAPIv2.proto that kubectl reads. */
const PROTO = `
  syntax = "proto3";
  message Any { string yaml = 2; }
  message NamedAny { string name = 1; Any value = 2; }
  message Info { string title = 1; string version = 2; }
  message Document { string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9; }
  message Paths { repeated NamedPathItem path = 2; }
  message NamedPathItem { string name = 1; PathItem value = 2; }
  message PathItem { Operation get = 2; Operation put = 3; Operation post = 4; Operation delete = 5; Operation patch = 8; repeated ParametersItem parameters = 9; }
  message Operation { repeated string tags = 1; string description = 3; string operation_id = 5; repeated string consumes = 7; repeated ParametersItem parameters = 8; Responses responses = 9; repeated NamedAny vendor_extension = 13; }
  message ParametersItem { oneof oneof { Parameter parameter = 1; } }
  message Parameter { oneof oneof { BodyParameter body_parameter = 1; NonBodyParameter non_body_parameter = 2; } }
  message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
  message NonBodyParameter { oneof oneof { QueryParameter query_parameter_sub_schema = 3; PathParameter path_parameter_sub_schema = 4; } }
  message QueryParameter { bool required = 1; string in = 2; string name = 4; string type = 6; bool unique_items = 20; }
  message PathParameter { bool required = 1; string in = 2; string name = 4; string type = 5; bool unique_items = 19; }
  message Responses { repeated NamedResponseValue response_code = 1; }
  message NamedResponseValue { string name = 1; ResponseValue value = 2; }
  message ResponseValue { oneof oneof { Response response = 1; } }
  message Response { string description = 1; SchemaItem schema = 2; }
  message SchemaItem { oneof oneof { Schema schema = 1; } }
  message Definitions { repeated NamedSchema additional_properties = 1; }
  message NamedSchema { string name = 1; Schema value = 2; }
  message Properties { repeated NamedSchema additional_properties = 1; }
  message TypeItem { repeated string value = 1; }
  message ItemsItem { repeated Schema schema = 1; }
  message AdditionalPropertiesItem { oneof oneof { Schema schema = 1; bool boolean = 2; } }
  message Schema { string _ref = 1; string format = 2; string description = 4; double maximum = 7; double minimum = 9; int64 max_length = 11; int64 min_length = 12; string pattern = 13; repeated string required = 19; repeated Any enum = 20; AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23; Properties properties = 25; repeated NamedAny vendor_extension = 31; }
`;

const Document = protobuf.parse(PROTO, { keepCase: true }).root.lookupType('Document');

interface Named<T> {
  name: string;
  value: T;
}

describe('the protobuf encoding of OpenAPI v2', () => {
  const bytes = encodeDocument(documentV2([CRONTABS], DEFINITIONS));
  const decoded = Document.toObject(Document.decode(bytes), { longs: Number }) as {
    swagger: string;
    info: unknown;
    paths: { path: Named<Record<string, Record<string, unknown>>>[] };
    definitions: { additional_properties: Named<Record<string, unknown>>[] };
  };
  const definition = (name: string) =>
    decoded.definitions.additional_properties.find((candidate) => candidate.name === name)?.value;

  it('includes schemas', () => {
    expect(decoded.swagger).toBe('2.0');
    const spec = (
      definition('com.example.stable.v1.CronTab') as { properties: { additional_properties: Named<unknown>[] } }
    ).properties.additional_properties.find(({ name }) => name === 'spec');
    expect(spec?.value).toMatchObject({
      type: { value: ['object'] },
      required: ['schedule'],
      properties: {
        additional_properties: expect.arrayContaining([
          { name: 'schedule', value: { type: { value: ['string'] }, pattern: '^[*]', max_length: 9 } },
          {
            name: 'policy',
            value: { type: { value: ['string'] }, enum: [{ yaml: '"Allow"\n' }, { yaml: '"Forbid"\n' }] },
          },
          { name: 'replicas', value: { type: { value: ['integer'] }, format: 'int32', minimum: -1.5 } },
          {
            name: 'resources',
            value: { type: { value: ['object'] }, additional_properties: { schema: { type: { value: ['string'] } } } },
          },
          { name: 'template', value: { _ref: '#/definitions/io.x.Template', description: 'What to run.' } },
        ]),
      },
    });
  });

  it('includes the kind, by which clients find the schema', () => {
    expect(definition('com.example.stable.v1.CronTab')).toMatchObject({
      vendor_extension: [
        {
          name: 'x-kubernetes-group-version-kind',
          value: { yaml: '[{"group":"stable.example.com","version":"v1","kind":"CronTab"}]\n' },
        },
      ],
    });
  });

  it('includes the operations that tell clients what the server supports', () => {
    const item = decoded.paths.path.find(({ name }) => name.endsWith('/crontabs/{name}'))?.value;
    expect(item?.patch).toMatchObject({
      operation_id: 'patchStableExampleComV1NamespacedCronTab',
      parameters: expect.arrayContaining([
        { parameter: { body_parameter: expect.objectContaining({ name: 'body', in: 'body', required: true }) } },
        {
          parameter: {
            non_body_parameter: {
              query_parameter_sub_schema: { in: 'query', name: 'fieldValidation', type: 'string', unique_items: true },
            },
          },
        },
      ]),
      vendor_extension: expect.arrayContaining([{ name: 'x-kubernetes-action', value: { yaml: '"patch"\n' } }]),
    });
    expect(item?.parameters).toContainEqual({
      parameter: {
        non_body_parameter: {
          path_parameter_sub_schema: { required: true, in: 'path', name: 'name', type: 'string', unique_items: true },
        },
      },
    });
  });
});
