import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { type OpenApiDocument, openApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { errorStatuses } from '../../../src/http/errors.js';
import { allDescriptions } from '../../../src/service/documentation/descriptions.js';

type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;

describe('the API description', () => {
  const http = { hooksPrefix: '/api/hooks', publicUrl: 'https://hooks.example.com/base' };
  const document = JSON.parse(
    JSON.stringify(openApiDocument(allDescriptions(http), { ...http, version: '1.2.3', development: true })),
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

  it('gives each route a name of its own', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('lists only statuses and codes that errors have', () => {
    const { responses } = document.components as { responses: Readonly<Record<string, object>> };
    for (const name of Object.keys(responses)) {
      const [status, ...codes] = name.split('.');
      for (const code of codes) {
        const usual = code === 'internal_error' ? 500 : errorStatuses[code as keyof typeof errorStatuses];
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

    for (const { name, operation } of operations) {
      const body = operation.requestBody as { readonly content: Content } | undefined;
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
