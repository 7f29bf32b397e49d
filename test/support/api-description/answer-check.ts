import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type Answer, openApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { isBelow } from '../../../src/http/later-routes.js';
import { allRoutes, pages } from '../../../src/service/documentation/documentation.js';

export type Answered = {
  method: string;
  /** Path with the query. */
  path: string;
  status: number;
  contentType: string | null;
  /** Parsed, if it is JSON. */
  body: unknown;
};

/** Throws an error that says how an answer differs from the API description. */
export type AnswerCheck = (answered: Answered) => void;

const errorBody = {
  type: 'object',
  required: ['error', 'message', 'requestId'],
  additionalProperties: false,
  properties: { error: { type: 'string' }, message: { type: 'string' }, requestId: { type: 'string' } },
};

/** Errors that the application answers for every path: before it looks for a route, or because there is none. */
const withoutRoute = new Set([400, 404, 405, 413, 421, 429]);

const checks = new Map<string, AnswerCheck>();

/** Compares answers of a service with the description of its API; schemas are compiled when they are needed. */
export function answerCheck(environment: Readonly<Record<string, string>> = {}): AnswerCheck {
  const hooksPrefix = environment.HOOKS_PREFIX ?? '/api/hooks';
  const publicUrl = environment.PUBLIC_URL;
  const key = `${hooksPrefix} ${publicUrl}`;
  const check = checks.get(key) ?? makeCheck({ hooksPrefix, publicUrl });
  checks.set(key, check);
  return check;
}

function makeCheck(service: { hooksPrefix: string; publicUrl: string | undefined }): AnswerCheck {
  const document = openApiDocument(allRoutes(service), { version: '', publicUrl: '/', development: true });
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
  const ofErrors = ajv.compile(errorBody);
  const routes = Object.entries(document.paths).map(([template, operations]) => ({
    template,
    // As the router compares: letter case and a slash at the end do not matter.
    matches: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
    operations,
  }));
  routes.sort((left, right) => Number(left.template.includes('{')) - Number(right.template.includes('{')));

  function componentOf(pointer: string): Answer {
    const answers = document.components.responses as Record<string, Answer>;
    return answers[pointer.slice('#/components/responses/'.length)] ?? noAnswer;
  }

  return ({ method: sent, path, status, contentType, body }) => {
    const { pathname } = new URL(path, 'http://service');
    const method = sent.toLowerCase() === 'head' ? 'get' : sent.toLowerCase();
    const route = routes.find(({ matches, operations }) => matches.test(pathname) && operations[method]);
    const fail = (why: string): never => {
      throw new Error(`${sent} ${pathname} is answered ${status}, but ${why}: ${JSON.stringify(body)?.slice(0, 500)}`);
    };
    const conform = (validate: ValidateFunction): void => {
      if (!validate(body)) fail(`the body is none that the API description allows: ${ajv.errorsText(validate.errors)}`);
    };
    if (!route || isMissing(status, body)) {
      if (isBelow(pathname, pages) || method === 'options') return;
      if (!withoutRoute.has(status)) fail('the API description has no such route');
      conform(ofErrors);
      return;
    }
    const described = route.operations[method]?.responses[status];
    if (!described) return fail('the API description has no such status');
    if (sent.toUpperCase() === 'HEAD') return;
    const inPaths = `#/paths/${pointer(route.template)}/${method}/responses/${status}`;
    const [place, { content = {}, 'x-error-codes': codes }] =
      '$ref' in described ? [described.$ref, componentOf(described.$ref)] : [inPaths, described];
    if (Object.keys(content).length === 0) return;
    const type = contentType?.split(';')[0] ?? '';
    if (!(type in content)) fail(`the API description has no such content type as ${contentType}`);
    const validate = ajv.getSchema(`api${place}/content/${pointer(type)}/schema`);
    if (!validate) throw new Error(`the API description has no schema at ${place}`);
    conform(validate);
    const { error = '' } = (body ?? {}) as { error?: string };
    if (codes && type === 'application/json' && !codes.includes(error))
      fail(`the API description has no such code as ${error}`);
  };
}

const noAnswer: Answer = {};

/** True if the service has no such route, which depends on its settings. */
const isMissing = (status: number, body: unknown): boolean =>
  status === 404 && String((body as { message?: unknown } | null)?.message).startsWith('there is no route ');

/** RFC 6901, in a fragment of a URL. */
const pointer = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
