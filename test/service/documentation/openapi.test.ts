import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { operationalTypes } from '../../../src/events/operational-events.js';
import { type OpenApiDocument, openApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { type DescribedError, statusOf } from '../../../src/http/errors.js';
import { allRoutes } from '../../../src/service/documentation/documentation.js';
import { webhooks } from '../../../src/service/documentation/webhooks.js';

/** Every schema of a document, with its place. */
function schemasIn(value: unknown, where = '', isSchema = false): readonly { where: string; schema: object }[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isSchema && !Array.isArray(value) ? [{ where, schema: value }] : [];
  const parts = Object.entries(value).flatMap(([name, part]) =>
    name === 'example' ? [] : schemasIn(part, `${where}/${name}`, isSchema || name === 'schema' || name === 'schemas'),
  );
  return [...own, ...parts];
}

type Content = Readonly<Record<string, { schema: object; example?: unknown }>>;

describe('the API description', () => {
  const http = { hooksPrefix: '/api/hooks', publicUrl: 'https://hooks.example.com/base' };
  const document = JSON.parse(
    JSON.stringify(openApiDocument(allRoutes(http), { ...http, version: '1.2.3', development: true }, webhooks)),
  ) as OpenApiDocument;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(errors).to.equal(undefined);
    expect(valid).to.equal(true);
  });

  it('names the public address and the version', () => {
    expect(document.openapi).to.match(/^3\.1\./);
    expect(document.info).to.include({ version: '1.2.3' });
    expect(document.servers).to.deep.equal([{ url: 'https://hooks.example.com/base' }]);
  });

  const requests = Object.entries(document.webhooks).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${name}`, operation })),
  );

  it('has the requests that hook URLs and agents get: flow events, each operational event, notices', () => {
    const expected = ['flow.event', ...Object.keys(operationalTypes)].map((name) => `POST ${name}`);
    const ofAgents = ['event', 'verification', 'gap', 'terminated'].map((name) => `POST agent.${name}`);
    expect(requests.map(({ name }) => name)).to.deep.equal([...expected, 'DELETE removal', ...ofAgents]);
    const { parameters } = document.components as { parameters: Readonly<Record<string, { name: string }>> };
    for (const { name, operation } of requests) {
      const sent = (operation.parameters ?? []) as readonly { $ref: string }[];
      const headers = sent.map(({ $ref }) => parameters[$ref.replace('#/components/parameters/', '')]?.name);
      const signed = name === 'DELETE removal' ? [] : ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      expect(headers, name).to.deep.equal(ofAgents.includes(name) ? [...signed, 'x-mcp-subscription-id'] : signed);
    }
  });

  it('gives each route and each request its own name', () => {
    const names = [...operations, ...requests].map(({ operation }) => operation.operationId);
    expect(new Set(names).size).to.equal(names.length);
  });

  describe('has schemas from which generators of clients in other languages make code that compiles:', () => {
    const { schemas } = document.components as { schemas: Readonly<Record<string, object>> };

    it('none has the name of a type that oapi-codegen writes itself', () =>
      expect(schemas).to.not.have.any.keys('Client', 'ClientInterface', 'ClientOption', 'ClientWithResponses'));

    it('none begins as the functions that generators for Go make', () =>
      expect(Object.keys(schemas).filter((name) => /^New[A-Z]/.test(name))).to.deep.equal([]));

    it('none is another one in answers than in requests', () =>
      expect(Object.keys(schemas).filter((name) => name.endsWith('Output'))).to.deep.equal([]));

    it('none refers to itself, as any JSON would in alternatives', () => {
      expect(Object.keys(schemas).filter((name) => name.startsWith('__'))).to.deep.equal([]);
      for (const [name, schema] of Object.entries(schemas))
        expect(JSON.stringify(schema), name).to.not.include(`"#/components/schemas/${name}"`);
    });

    it('no body and no parameter is a choice of objects, and no parameter a choice of types', () => {
      for (const { name, operation } of operations) {
        const { parameters = [], requestBody } = operation as {
          parameters?: readonly { schema: object }[];
          requestBody?: { content: Content };
        };
        for (const { schema } of Object.values(requestBody?.content ?? {}))
          expect(schema, name).to.not.have.any.keys('oneOf', 'anyOf');
        for (const { schema } of parameters) {
          const { anyOf = [] } = schema as { anyOf?: readonly { type: string }[] };
          expect(anyOf.filter(({ type }) => type !== 'null').length, name).to.be.at.most(1);
        }
      }
    });

    it('no constant is a boolean or a decimal number', () => {
      for (const [, type, value] of JSON.stringify(document).matchAll(/"type":"(boolean|number)","const":([^,}]+)/g))
        expect.fail(`${type} ${value}`);
    });

    it('no schema is a choice between another one and null, nor a sum of schemas: they become empty classes', () => {
      for (const { where, schema } of schemasIn(document)) {
        expect(schema, where).to.not.have.property('allOf');
        const { anyOf = [] } = schema as { anyOf?: readonly { type?: string }[] };
        const isOrNull = anyOf.length === 2 && anyOf.some(({ type }) => type === 'null');
        expect(isOrNull, where).to.equal(false);
      }
    });

    it('a choice of objects says by which value', () => {
      for (const { where, schema } of schemasIn(document)) {
        const { oneOf = [], discriminator } = schema as {
          oneOf?: readonly { $ref?: string }[];
          discriminator?: object;
        };
        const objects = oneOf.flatMap(({ $ref = [] }) => $ref);
        if (objects.length < 2) continue;
        const { mapping } = discriminator as { mapping: Readonly<Record<string, string>> };
        expect([...new Set(Object.values(mapping))], where).to.deep.equal(objects);
      }
    });

    it('objects of bodies and answers have names, after the operation if they have none of their own', () => {
      for (const { where, schema } of schemasIn(document)) {
        const { type, properties = {} } = schema as { type?: string; properties?: object };
        const isRoot = /^\/paths\/.*\/schema(\/items)?$/.test(where);
        if (isRoot && type === 'object' && !where.includes('introspect/post/responses/401'))
          expect(Object.keys(properties), where).to.have.length(0);
      }
    });

    it('operations are named as a person would call a method', () => {
      for (const { name, operation } of operations)
        expect(operation.operationId, name).to.match(/^(?!get|post)[a-z]+([A-Z][a-z]+|[A-Z](?=[A-Z]|$)|\d)*$/);
    });

    it('a body of several types is JSON first, which the clients send', () => {
      for (const { name, operation } of operations) {
        const { content = {} } = (operation.requestBody ?? {}) as { content?: Content };
        const types = Object.keys(content);
        if (types.length > 1) expect(types[0], name).to.equal('application/json');
      }
    });
  });

  describe('satisfies linters:', () => {
    it('a contact and a licence', () => {
      expect(document.info).to.have.nested.property('contact.name');
      expect(document.info).to.have.nested.property('license.identifier');
    });

    it('a description of each route and each tag', () => {
      for (const { name, operation } of [...operations, ...requests])
        expect(operation.description, name).to.be.a('string');
      for (const tag of document.tags as object[]) expect(tag).to.have.property('description');
    });

    it('roles and scopes in words: `security` has those of OAuth 2 only', () => {
      for (const { name, operation } of operations)
        for (const needed of operation.security as readonly object[])
          for (const permissions of Object.values(needed)) expect(permissions, name).to.deep.equal([]);
      const of = (wanted: string) => operations.find(({ name }) => name === wanted)?.operation.description;
      expect(of('GET /admin/api/flows')).to.match(
        /\n\nCredentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`\.$/,
      );
    });

    it('an answer of success, or others, and an error of the caller, for each route', () => {
      for (const { name, operation } of operations) {
        const statuses = Object.keys(operation.responses).join(' ');
        expect(statuses, name).to.match(/\b2\d\d|default/);
        expect(statuses, name).to.match(/\b4\d\d/);
      }
    });

    it('no component that nothing refers to', () => {
      const text = JSON.stringify(document);
      for (const kind of ['schemas', 'responses', 'headers', 'parameters'])
        for (const name of Object.keys(document.components[kind] as object))
          expect(text).to.include(`"#/components/${kind}/${name}"`);
    });
  });

  it('lists only statuses and codes that errors have', () => {
    const { responses } = document.components as { responses: Readonly<Record<string, object>> };
    for (const name of Object.keys(responses)) {
      const [status, ...codes] = name.split('.');
      for (const code of codes) {
        const usual = statusOf(code as DescribedError);
        expect(String(usual === 503 && status === '500' ? 500 : usual), `${name}: ${code}`).to.equal(status);
      }
    }
  });

  describe('has examples that its schemas allow', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    formats.default(ajv);
    ajv.addSchema(document, 'api');

    /** References are those of the document. */
    const check = (schema: object, example: unknown, where: string) => {
      const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/'));
      const validate = ajv.compile(inDocument);
      expect(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
    };

    for (const { name, operation } of [...operations, ...requests]) {
      const body = operation.requestBody as { content: Content } | undefined;
      const answers = Object.entries(operation.responses).flatMap(([status, answer]) =>
        'content' in answer && answer.content ? [[status, answer.content as Content] as const] : [],
      );
      it(name, () => {
        for (const [type, { schema, example }] of Object.entries(body?.content ?? {}))
          check(schema, example, `the ${type} body`);
        for (const [status, content] of answers) {
          for (const { schema, example } of Object.values(content))
            if (example !== undefined) check(schema, example, `the answer ${status}`);
        }
      });
    }
  });
});
