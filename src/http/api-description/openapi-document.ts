import type { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from '../route-contract.js';
import { answersOf, type ErrorAnswers, headerComponents } from './answers.js';
import { namedAfter, shapeForGenerators } from './schema-shapes.js';
import { introduction, type SecurityScheme, securitySchemes, type Tag, tagDescriptions } from './texts.js';
import { type Webhook, webhooksOf } from './webhooks.js';

type DescribedService = {
  version: string;
  /** The address at which callers reach it. Undefined: the one from which the description was read. */
  publicUrl: string | undefined;
  /** Development mode: answers only to loopback names. */
  development: boolean;
};

export type OpenApiDocument = {
  openapi: string;
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Requests of the service to others. */
  webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

type Operation = {
  operationId: string;
  responses: Readonly<Record<string, Answer | { $ref: string }>>;
} & Readonly<Record<string, unknown>>;

export type Answer = {
  content?: Readonly<Record<string, { schema: object; example?: unknown }>>;
  /** Codes of the errors that have this status. */
  'x-error-codes'?: readonly string[];
};

/** The description of a service in the form of OpenAPI 3.1. Throws if two schemas have the same `id`. */
export function openApiDocument(
  routes: readonly Route[],
  service: DescribedService,
  webhooks: readonly Webhook[] = [],
): OpenApiDocument {
  const errors: ErrorAnswers = new Map();
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method]: operationOf(route, errors, service) };
  }
  const requests = webhooksOf(webhooks);
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Flow Hooks',
        version: service.version,
        description: introduction,
        contact: { name: 'The operators of this service', url: service.publicUrl },
        license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
      },
      servers: [{ url: service.publicUrl ?? '/' }],
      tags: [...new Set([...routes.map(({ tag }) => tag), ...requests.tags])].map((name: Tag) => ({
        name,
        description: tagDescriptions[name],
      })),
      paths,
      webhooks: requests.paths,
      components: { headers: headerComponents, securitySchemes },
    },
    { override: shapeForGenerators },
  );
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path) as Described[]);
  const shared = Object.values(document.components?.parameters ?? {}) as Parameter[];
  for (const parameter of [...operations.flatMap(({ parameters = [] }) => parameters), ...shared])
    describeByName(parameter);
  const schemas = Object.entries(document.components?.schemas ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
  const components = { ...document.components, schemas: Object.fromEntries(schemas) };
  return { ...document, components } as unknown as OpenApiDocument; // narrower: of what the routes above have
}

type Described = { parameters?: readonly Parameter[] };
type Parameter = { description?: string; schema: { description?: string } };

/** Moves the description of a parameter out of its schema. */
function describeByName(parameter: Parameter): void {
  const { description, ...schema } = parameter.schema;
  Object.assign(parameter, { schema, ...(description !== undefined && { description }) });
}

/** `/deliveries/:id` as `/deliveries/{id}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

function operationOf(route: Route, errors: ErrorAnswers, { development }: DescribedService): ZodOpenApiOperationObject {
  const { name, tag, summary, credentials, params: path, query, headers: header } = route;
  const sent = Object.entries({ path, query, header }).filter(([, part]) => part && Object.keys(part.shape).length > 0);
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...describedWith(route),
    security: Object.keys(credentials).map((scheme) => (scheme === 'anonymous' ? {} : { [scheme]: [] })),
    ...(sent.length > 0 && { requestParams: Object.fromEntries(sent) }),
    ...(route.body && { requestBody: bodyOf(route, route.body) }),
    responses: answersOf(route, errors, development),
  };
}

function bodyOf(
  { name, bodyExample = {}, bodyTypes = ['application/json'], bodyAlternatives = [] }: Route,
  schema: z.ZodType,
) {
  const main = { types: bodyTypes, schema: namedAfter(`${name}Request`, schema), example: bodyExample };
  const content = [main, ...bodyAlternatives].flatMap(({ types, ...described }) =>
    types.map((type) => [type, described]),
  );
  return { required: !schema.safeParse({}).success, content: Object.fromEntries(content) };
}
const credentialNames: Readonly<Record<SecurityScheme | 'anonymous', string>> = {
  accessToken: 'an access token',
  apiKey: 'an API key',
  adminKey: 'an admin key',
  clientCredentials: 'client credentials',
  anonymous: 'none',
};

/**
 * The description of a route, with the roles and scopes that it needs: in `security` they are allowed, but linters take them for
 * mistakes unless the scheme is that of OAuth 2.
 */
function describedWith({ description, credentials }: Route): { description?: string } {
  const accepted = Object.entries(credentials).map(([scheme, needs]) => {
    const permission = scheme === 'adminKey' ? 'role' : 'scope';
    const name = credentialNames[scheme as keyof typeof credentials];
    return needs.length > 0
      ? `${name} with the ${permission} ${needs.map((need) => `\`${need}\``).join(' and ')}`
      : name;
  });
  const paragraphs = [
    ...(description !== undefined ? [description] : []),
    ...(Object.values(credentials).some((needs) => needs.length > 0)
      ? [`Credentials: ${accepted.join(', or ')}.`]
      : []),
  ];
  return paragraphs.length > 0 ? { description: paragraphs.join('\n\n') } : {};
}
