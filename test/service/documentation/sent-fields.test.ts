import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { z } from 'zod';
import { openApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { parseInput } from '../../../src/kernel/input/parse-input.js';
import { allRoutes } from '../../../src/service/documentation/documentation.js';

const http = { hooksPrefix: '/api/hooks', publicUrl: undefined };
const routes = allRoutes(http);
const document = JSON.parse(JSON.stringify(openApiDocument(routes, { ...http, version: '1', development: true })));
const ajv = new Ajv2020({ strict: false, validateSchema: false });
formats.default(ajv);
ajv.addSchema(document, 'api');

const isOptional = (field: z.ZodType) => field.safeParse(undefined).success;
const otherCase = (name: string) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase());

/** Bodies that are objects, or lists of them, with an example. */
const bodies = routes.flatMap(({ method, path, body, bodyTypes = ['application/json'], bodyExample, ...route }) =>
  [
    ...(body ? [{ types: bodyTypes, schema: body, example: bodyExample }, ...(route.bodyAlternatives ?? [])] : []),
  ].flatMap(({ schema, types, example }) => {
    const list = schema instanceof z.ZodArray;
    const object = list ? schema.element : schema;
    const type = types[0] ?? '';
    const described = document.paths[path.replace(/:(\w+)/g, '{$1}')][method].requestBody.content[type].schema;
    const validate = ajv.compile(JSON.parse(JSON.stringify(described).replaceAll('"$ref":"#/', '"$ref":"api#/')));
    const fields = list ? (example as readonly object[])[0] : example;
    const wrap = (value: object) => (list ? [value] : value);
    return object instanceof z.ZodObject
      ? [
          {
            name: `${method} ${path} (${type})`,
            schema: schema as z.ZodType,
            shape: object.shape,
            fields: { ...(fields as object) },
            wrap,
            validate,
          },
        ]
      : [];
  }),
);
const queries = routes.filter(({ query }) => query && Object.keys(query.shape).length > 0);

describe('the input of every route', () => {
  it('is described', () => {
    expect(bodies.length).to.be.above(40);
    expect(queries.length).to.be.above(20);
  });

  for (const { name, schema, shape, fields, wrap, validate } of bodies) {
    const names = Object.keys(shape);
    if (names.length === 0) continue;

    it(`may have null for what is optional, in the API description too: ${name}`, () => {
      for (const optional of names.filter((each) => isOptional(shape[each]))) {
        const sent = wrap({ ...fields, [optional]: null });
        expect(validate(sent), `${optional}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
        parseInput(schema, sent);
      }
    });

    it(`is refused where the name of a field differs in case: ${name}`, () => {
      for (const each of names) {
        const wrong = otherCase(each);
        const sent = wrap({ ...fields, [wrong]: 'x' });
        expect(() => parseInput(schema, sent), each).to.throw(InvalidRequest, `${wrong}: the name is ${each}`);
      }
    });
  }

  for (const { method, path, query = z.object({}) } of queries) {
    it(`is refused where the name of a parameter differs in case: ${method} ${path}`, () => {
      for (const each of Object.keys(query.shape)) {
        const wrong = otherCase(each);
        expect(() => parseInput(z.object(query.shape), { [wrong]: 'x' })).to.throw(`${wrong}: the name is ${each}`);
      }
    });
  }
});
