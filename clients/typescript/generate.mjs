// Makes api.d.ts from the description of a running service:
//
//   npm run generate -- https://hooks.example.com        (or any other service of the same version)
//   npm run generate -- https://hooks.example.com FILE   (into another file)
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const header = `// Generated from /openapi.json of a running service with \`npm run generate -- URL\`. Do not edit it.

`;

/** Routes for browsers, some of which depend on the settings of the service. */
const forBrowsers = /^\/(sign-in$|oauth2|\.well-known\/oauth-(authorization-server|protected-resource))/;

const errorSchema = '#/components/schemas/Error';

/** The codes of an answer with the error body of the service; undefined for another body, which RFC 6749 requires of the token routes. */
const codesOf = ({ content, 'x-error-codes': codes }) =>
  content?.['application/json']?.schema.$ref === errorSchema ? codes : undefined;

/** Answers of an operation, with one for all errors that have the same body; 421 is an answer of development mode only. */
function answersOf({ responses }, components) {
  const resolve = ({ $ref, ...answer }) =>
    $ref === undefined ? answer : components.responses[$ref.replace('#/components/responses/', '')];
  const answers = Object.entries(responses)
    .filter(([status]) => status !== '421')
    .map(([status, answer]) => [status, resolve(answer)]);
  const ofErrors = answers.filter(([, answer]) => codesOf(answer) !== undefined);
  const others = answers
    .filter(([, answer]) => codesOf(answer) === undefined)
    .map(([status, { headers: _, ...answer }]) => [status, answer]);
  const codes = new Set(ofErrors.flatMap(([, answer]) => codesOf(answer)));
  const schema = {
    allOf: [{ $ref: errorSchema }, { type: 'object', properties: { error: { type: 'string', enum: [...codes] } } }],
  };
  const description = ofErrors.map(([status, answer]) => `${status}: ${codesOf(answer).join(', ')}`).join('; ');
  return {
    ...Object.fromEntries(others),
    ...(codes.size > 0 && { default: { description, content: { 'application/json': { schema } } } }),
  };
}

/** Schema without examples, which the page /docs of the service shows. Properties of a schema may have these names. */
function withoutExamples(value, namesAreProperties = false) {
  if (Array.isArray(value)) return value.map((each) => withoutExamples(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => namesAreProperties || !/^examples?$/.test(name))
      .map(([name, each]) => [name, withoutExamples(each, !namesAreProperties && name === 'properties')]),
  );
}

/** Part of the description from which types are made: the same for each service of a version with the same HOOKS_PREFIX. */
function typedPart({ openapi, info, paths, components }) {
  const operations = (methods) =>
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        { ...operation, responses: answersOf(operation, components) },
      ]),
    );
  return {
    openapi,
    info,
    paths: Object.fromEntries(
      Object.entries(paths)
        .filter(([path]) => !forBrowsers.test(path))
        .map(([path, methods]) => [path, operations(methods)]),
    ),
    components: { schemas: components.schemas },
  };
}

/** Document without the components that nothing refers to: which routes for browsers a service has depends on its settings. */
function withoutUnused({ components: { schemas }, ...document }) {
  const used = new Set();
  const note = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      note(schemas[name]);
    }
  };
  note(document);
  return {
    ...document,
    components: { schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))) },
  };
}

const [url, file = new URL('api.d.ts', import.meta.url)] = process.argv.slice(2);
if (url === undefined) {
  console.error('usage: npm run generate -- URL [FILE]');
  process.exit(2);
}
const response = await fetch(`${url.replace(/\/+$/, '')}/openapi.json`);
if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
const types = await openapiTS(withoutExamples(withoutUnused(typedPart(await response.json()))), {
  emptyObjectsUnknown: true,
  defaultNonNullable: false, // the service fills in what a caller leaves out
});
writeFileSync(file, header + astToString(types));
