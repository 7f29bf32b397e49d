import type { AnswerDescription, RouteDescription } from '../../http/api-description/route-description.js';
import { adminContracts } from './contracts/admin-contracts.js';
import type { AnyAdminRoute } from './routing/handle.js';
import { sealDescriptions } from './seals/descriptions.js';

/** The routes of operators, for the API description. */
export const adminRouteDescriptions: readonly RouteDescription[] = [
  ...adminContracts.map(describe),
  ...sealDescriptions,
];

function describe(contract: AnyAdminRoute): RouteDescription {
  const { method, path, subject, summary, description, params, query, body, bodyExample, errors, access } = contract;
  return {
    method,
    path,
    tag: `Operators: ${subject}`,
    summary,
    description,
    credentials: { adminKey: [access.role], ...(access.scope !== undefined && { apiKey: [access.scope] }) },
    params: params.shape,
    query: query.shape,
    ...(body && {
      body: { schema: body, example: bodyExample ?? {}, optional: body.safeParse({}).success },
    }),
    answers: answersOf(contract),
    errors,
  };
}

function answersOf({ answer }: AnyAdminRoute): Readonly<Record<number, AnswerDescription>> {
  const { status = 200, description = 'Done.', schema, example, alternative } = answer;
  return {
    [status]: { description, schema, example },
    ...(alternative && {
      [alternative.status]: { description: alternative.description, schema, example: alternative.example },
    }),
  };
}
