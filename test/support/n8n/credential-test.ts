import { builtModule, packageOfNodes } from './built-nodes.js';

type Values = Readonly<Record<string, unknown>>;
type Property = { name: string; default: unknown };
type Rule = { properties: { key: string; value: unknown; message: string } };
type Request = {
  baseURL: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  qs?: Values;
  ignoreHttpStatusErrors?: boolean;
};
type Credential = {
  properties: readonly Property[];
  test: { request: Request; rules?: readonly Rule[] };
};
type Workflow = {
  Workflow: new (
    parameters: object,
  ) => {
    expression: { getComplexParameterValue: (...values: readonly unknown[]) => unknown };
  };
};

/**
 * The test of a credential as n8n performs it: with the defaults of its properties, in n8n's language of expressions. Returns `OK` or the
 * message that the editor shows. `npm run test:n8n` has the same in n8n itself.
 */
export function credentialTestOf(name: string): (data: Values) => Promise<string> {
  const Type = builtModule<Record<string, new () => Credential>>(`credentials/${name}.credentials.js`)[name];
  if (!Type) throw new Error(`there is no credential ${name}`);
  const { properties, test } = new Type();
  const { Workflow } = packageOfNodes<Workflow>('n8n-workflow');
  const nodeTypes = { getByNameAndVersion: () => ({ description: { properties: [] } }) };
  const node = { id: '1', name: 'Test', type: 'test', typeVersion: 1, position: [0, 0], parameters: {} };
  const { expression } = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
  const defaults = Object.fromEntries(properties.map((property) => [property.name, property.default]));

  return async (data) => {
    const credentials = { ...defaults, ...data };
    const keys = { $credentials: credentials };
    const evaluated = expression.getComplexParameterValue(node, test.request, 'internal', keys) as Request;
    return outcomeOf(evaluated, credentials, test.rules ?? []);
  };
}

async function outcomeOf(
  { baseURL, url, headers, qs = {}, ignoreHttpStatusErrors }: Request,
  { apiKey, oauthTokenData }: Values,
  rules: readonly Rule[],
): Promise<string> {
  const token = apiKey ?? (oauthTokenData as { access_token: string }).access_token;
  const query = Object.entries(qs).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  const answer = await fetch(`${baseURL}${url}?${new URLSearchParams(query)}`, {
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  if (!answer.ok && !ignoreHttpStatusErrors) return answer.statusText;
  const body = (await answer.json()) as Values;
  return rules.find(({ properties: { key, value } }) => body[key] === value)?.properties.message ?? 'OK';
}
