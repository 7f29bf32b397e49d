import { type Answer, type AnswerComponents, answersOf, headerComponents, typeNameOf } from './answers.js';
import { type JsonSchema, type JsonSchemas, jsonSchemas } from './json-schemas.js';
import type { BodyDescription, Fields, RouteDescription } from './route-description.js';
import { introduction, type SecurityScheme, securitySchemes, type Tag, tagDescriptions } from './texts.js';

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
  components: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

type Operation = {
  operationId: string;
  responses: ReturnType<typeof answersOf>;
} & Readonly<Record<string, unknown>>;

/** The description of a service in the form of OpenAPI 3.1. */
export function openApiDocument(routes: readonly RouteDescription[], service: DescribedService): OpenApiDocument {
  const schemas = jsonSchemas();
  const responses = new Map<string, Answer>();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method]: operationOf(route, { schemas, responses }, service) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Flow Hooks',
      version: service.version,
      description: introduction,
      contact: {
        name: 'The operators of this service',
        url: service.publicUrl,
      },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
    },
    servers: [{ url: service.publicUrl ?? '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name: Tag) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas.components].sort(([left], [right]) => (left < right ? -1 : 1))),
      responses: Object.fromEntries(responses),
      headers: headerComponents,
      securitySchemes,
    },
  };
}

/** `/deliveries/:id` as `/deliveries/{id}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

function operationOf(route: RouteDescription, shared: AnswerComponents, { development }: DescribedService): Operation {
  const { schemas } = shared;
  const name = typeNameOf(route);
  const { tag, summary, credentials, params = {}, query = {}, headers = {}, body } = route;
  const parameters = [
    ...parametersOf('path', params, schemas),
    ...parametersOf('query', query, schemas),
    ...parametersOf('header', headers, schemas),
  ];
  return {
    operationId: route.name,
    tags: [tag],
    summary,
    ...describedWith(route),
    security: Object.keys(credentials).map((scheme) => (scheme === 'anonymous' ? {} : { [scheme]: [] })),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: body && bodyOf(`${name}Request`, body, schemas),
    responses: answersOf(route, shared, development),
  };
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
function describedWith({ description, credentials }: RouteDescription): { description?: string } {
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

function parametersOf(place: 'path' | 'query' | 'header', fields: Fields, schemas: JsonSchemas) {
  return Object.entries(fields).map(([name, field]) => {
    const { description, ...schema } = schemas.ofText(field) as JsonSchema & { description?: string };
    return {
      name,
      in: place,
      required: place === 'path' || !field.safeParse(undefined).success,
      description,
      schema,
    };
  });
}

function bodyOf(
  name: string,
  { schema, types = ['application/json'], example, optional = false, alternatives = [] }: BodyDescription,
  schemas: JsonSchemas,
) {
  const content = [{ schema, types, example }, ...alternatives].flatMap((each) =>
    each.types.map((type) => {
      const described = schemas.of(each.schema, 'input', each.schema === schema ? name : undefined);
      return [type, { schema: described, example: each.example }] as const;
    }),
  );
  return { required: !optional, content: Object.fromEntries(content) };
}
